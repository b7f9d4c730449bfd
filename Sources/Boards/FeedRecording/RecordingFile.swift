#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// An open file of records.
final class RecordingFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// Opens a file for reading, or for reading and appending, which creates it if necessary and
  /// excludes other recorders.
  init(_ path: String, isWritable: Bool) throws(FeedRecording.Failure) {
    self.path = path
    let flags = isWritable ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC
    descriptor = open(path, flags, 0o644)
    guard descriptor >= 0 else {
      throw FeedRecording.Failure(
        isWritable ? .unwritable : .unreadable,
        path,
        "cannot be opened: \(Self.text(errno))"
      )
    }
    guard isWritable, flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
    throw FeedRecording.Failure(.busy, path, "another recorder writes this file")
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the size of the file in bytes.
  func size() throws(FeedRecording.Failure) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(Self.text(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw unreadable("it is not a regular file") }
    return Int64(status.st_size)
  }

  /// Reads bytes at an offset; all of them must exist.
  func read(_ count: Int, at offset: Int64) throws(FeedRecording.Failure) -> [UInt8] {
    var failure: String?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let more = pread(
          descriptor,
          buffer.baseAddress?.advanced(by: done),
          count - done,
          off_t(offset) + off_t(done)
        )
        if more > 0 {
          done += more
        } else if more == 0 {
          failure = "ends too early"
          return
        } else if errno != EINTR {
          failure = Self.text(errno)
          return
        }
      }
    }
    if let failure { throw unreadable(failure) }
    return bytes
  }

  /// Writes bytes at an offset; if that fails, a partial write is removed.
  func write(_ bytes: [UInt8], at offset: Int64) throws(FeedRecording.Failure) {
    var done = 0
    while done < bytes.count {
      let more = bytes.withUnsafeBytes { buffer in
        pwrite(
          descriptor,
          buffer.baseAddress?.advanced(by: done),
          bytes.count - done,
          off_t(offset) + off_t(done)
        )
      }
      if more > 0 {
        done += more
      } else if more == 0 || errno != EINTR {
        let reason = more == 0 ? "nothing more can be written" : Self.text(errno)
        _ = ftruncate(descriptor, off_t(offset))
        throw FeedRecording.Failure(.unwritable, path, "cannot be written: \(reason)")
      }
    }
  }

  /// Truncates the file at an offset.
  func cut(at offset: Int64) throws(FeedRecording.Failure) {
    guard ftruncate(descriptor, off_t(offset)) == 0 else {
      throw FeedRecording.Failure(.unwritable, path, "cannot be shortened: \(Self.text(errno))")
    }
  }

  private func unreadable(_ reason: String) -> FeedRecording.Failure {
    FeedRecording.Failure(.unreadable, path, "cannot be read: \(reason)")
  }

  private static func text(_ number: Int32) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
  }
}
