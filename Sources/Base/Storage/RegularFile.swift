package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Reads files whole.
package enum RegularFile {
  /// Reads a file from its start; a pipe is not waited for.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: The most bytes; the rest is left out.
  ///   - followsLink: Whether the path may be a symbolic link.
  /// - Returns: The bytes.
  /// - Throws: ``UnreadableFile``.
  package static func bytes(
    of path: String,
    atMost most: Int = .max,
    followsLink: Bool = true
  ) throws(UnreadableFile) -> Data {
    let link = followsLink ? 0 : O_NOFOLLOW
    let input = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | link)
    guard input >= 0 else { throw UnreadableFile(code: errno) }
    let handle = FileHandle(fileDescriptor: input, closeOnDealloc: true)
    var status = stat()
    guard fstat(input, &status) == 0 else { throw UnreadableFile(code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw UnreadableFile(code: nil) }
    do {
      return try handle.read(upToCount: most) ?? Data()
    } catch {
      throw UnreadableFile(code: EIO)
    }
  }
}

/// Why a file cannot be read.
package struct UnreadableFile: Error, CustomStringConvertible {
  /// The error of the system; `nil` if it is a folder, a pipe or a device.
  package let code: Int32?

  /// Whether there is no such file: nothing, a symbolic link that is not followed, or something else.
  package var isAbsent: Bool { [nil, ENOENT, ENOTDIR, ELOOP].contains(code) }

  package var description: String {
    code.map { String(cString: strerror($0)) } ?? "it is not a regular file"
  }
}
