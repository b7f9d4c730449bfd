import ConditionalHTTP
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Copies files so that they are on disk when the copy returns.
enum FileCopy {
  /// The bytes that are read and written at once.
  private static let chunk = 1 << 20

  /// Copies a file, with its permissions.
  ///
  /// - Parameters:
  ///   - source: The file; a symbolic link is followed.
  ///   - destination: The copy, which must not exist.
  ///   - copied: Called with the bytes of each chunk that is written; what it throws ends the copy.
  /// - Returns: Whether there is a source.
  /// - Throws: ``BackupFailure``.
  static func copy(
    _ source: String,
    to destination: String,
    copied: (Int) throws(BackupFailure) -> Void
  ) throws(BackupFailure) -> Bool {
    // Opening a pipe must not wait for its writer.
    let input = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard input >= 0 else {
      if errno == ENOENT { return false }
      throw BackupFailure(.unreadable, "\(source): cannot be read: \(reason())")
    }
    defer { close(input) }
    var status = stat()
    guard fstat(input, &status) == 0 else {
      throw BackupFailure(.unreadable, "\(source): cannot be read: \(reason())")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw BackupFailure(.unreadable, "\(source): is not a regular file; move it away")
    }
    let output = try create(destination, mode: status.st_mode & 0o777)
    defer { close(output) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(input, buffer.baseAddress, chunk)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw BackupFailure(.unreadable, "\(source): cannot be read: \(reason())")
      }
      try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: output, at: destination)
      try copied(count)
    }
    try synchronize(output, destination)
    return true
  }

  /// Writes a new file.
  ///
  /// - Throws: ``BackupFailure`` if it exists or cannot be written.
  static func write(
    _ bytes: [UInt8],
    to destination: String,
    mode: mode_t = 0o600
  ) throws(BackupFailure) {
    let output = try create(destination, mode: mode)
    defer { close(output) }
    do {
      try bytes.withUnsafeBytes { try write($0, to: output, at: destination) }
    } catch {
      throw error as? BackupFailure ?? BackupFailure(.unwritable, "\(destination): \(error)")
    }
    try synchronize(output, destination)
  }

  /// Waits until the entries of a folder are on disk.
  static func synchronizeFolder(_ folder: String) throws(BackupFailure) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard descriptor >= 0 else {
      throw BackupFailure(.unwritable, "\(folder): cannot be opened: \(reason())")
    }
    defer { close(descriptor) }
    try synchronize(descriptor, folder)
  }

  /// Returns the SHA-256 of a file, as 64 hexadecimal digits.
  ///
  /// The file is mapped, so it must not change.
  static func digest(of path: String) throws(BackupFailure) -> String {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    } catch {
      let reason = ErrorText.of(error, showsPath: false)
      throw BackupFailure(.unreadable, "\(path): cannot be read: \(reason)")
    }
    let digits = Array("0123456789abcdef".utf8)
    let hash = bytes.withUnsafeBytes { SHA256.hash($0) }
    return String(
      decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }

  /// The text of the last error of the system.
  static func reason() -> String { String(cString: strerror(errno)) }

  private static func create(_ path: String, mode: mode_t) throws(BackupFailure) -> Int32 {
    let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard output >= 0 else {
      throw BackupFailure(.unwritable, "\(path): cannot be created: \(reason())")
    }
    // Whatever the umask of the process is, a file gets the permissions that it had.
    _ = fchmod(output, mode)
    return output
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer,
    to output: Int32,
    at path: String
  ) throws(BackupFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      #if canImport(Glibc)
      let count = Glibc.write(output, part.baseAddress, part.count)
      #elseif canImport(Musl)
      let count = Musl.write(output, part.baseAddress, part.count)
      #else
      let count = Darwin.write(output, part.baseAddress, part.count)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        throw BackupFailure(.unwritable, "\(path): cannot be written: \(reason())")
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func synchronize(_ descriptor: Int32, _ path: String) throws(BackupFailure) {
    guard fsync(descriptor) == 0 else {
      throw BackupFailure(.unwritable, "\(path): cannot be written: \(reason())")
    }
  }
}
