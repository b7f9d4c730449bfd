#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A file of the file system as a ``ByteSource``.
package final class FileSource: ByteSource {
  private let descriptor: Int32
  private let path: String

  /// Opens a file for reading.
  ///
  /// - Throws: ``FeedError`` with code `unreadable`.
  package init(path: String) throws(FeedError) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw FeedError(.unreadable, "\(path): is not a file that can be read")
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FeedError(.unreadable, "\(path): cannot be opened: \(SystemFailure.text(errno))")
    }
  }

  deinit { close(descriptor) }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
    while true {
      #if canImport(Glibc)
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Darwin)
      let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
      let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 { return count }
      guard errno == EINTR else {
        throw FeedError(.unreadable, "\(path): cannot be read: \(SystemFailure.text(errno))")
      }
    }
  }
}
