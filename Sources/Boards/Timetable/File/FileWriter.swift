import GTFS

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A new file that is written from front to back and made durable at the end.
final class FileWriter {
  private let descriptor: Int32
  private let path: String
  /// Bytes written so far.
  private(set) var count = 0

  /// Creates the file, which must not exist.
  init(path: String) throws(FeedError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw FeedError(.cannotWrite, "\(path): cannot be created: \(SystemFailure.text(errno))")
    }
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FeedError) {
    try write(bytes, at: count)
    count += bytes.count
  }

  /// Appends zero bytes up to a multiple of 64.
  func align() throws(FeedError) {
    let padding = (64 - count % 64) % 64
    guard padding > 0 else { return }
    try [UInt8](repeating: 0, count: padding).withUnsafeFeedBytes { bytes throws(FeedError) in
      try write(bytes)
    }
  }

  /// Overwrites bytes that were written before.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FeedError) {
    var done = 0
    while done < bytes.count {
      let result = pwrite(
        descriptor,
        bytes.baseAddress?.advanced(by: done),
        min(bytes.count - done, 1 << 26),
        off_t(offset + done)
      )
      if result > 0 {
        done += result
      } else if result == 0 || errno != EINTR {
        throw FeedError(.cannotWrite, "\(path): cannot be written: \(SystemFailure.text(errno))")
      }
    }
  }

  /// Waits until the file is on disk.
  func synchronize() throws(FeedError) {
    guard fsync(descriptor) == 0 else {
      throw FeedError(.cannotWrite, "\(path): cannot be written: \(SystemFailure.text(errno))")
    }
  }
}

extension Array {
  /// The array's bytes, for a body that throws ``FeedError``.
  func withUnsafeFeedBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(FeedError) -> Result
  ) throws(FeedError) -> Result {
    var outcome: Swift.Result<Result, FeedError>?
    withUnsafeBytes { bytes in
      do throws(FeedError) {
        outcome = .success(try body(bytes))
      } catch {
        outcome = .failure(error)
      }
    }
    guard let outcome else { throw FeedError(.invalid, "no bytes to write") }
    return try outcome.get()
  }
}
