import GTFS

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// An advisory lock (flock) on a file, held as long as the value lives.
final class FileLock: Sendable {
  enum Kind {
    case shared
    case exclusive
  }

  private let descriptor: Int32

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - path: The file; it is created if it does not exist.
  ///   - kind: Whether others may hold it too.
  ///   - waits: Whether to wait for the holder, which must not take long; otherwise the result is `nil`.
  /// - Throws: ``FeedError`` if the file cannot be opened.
  init?(path: String, kind: Kind, waits: Bool = false) throws(FeedError) {
    // A shared lock on an existing file needs no write permission.
    let existing = kind == .shared ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1
    descriptor =
      existing >= 0 ? existing : open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else {
      let reason = errno == ELOOP ? "it is a link; remove it" : SystemFailure.text(errno)
      throw FeedError(.cannotWrite, "\(path): cannot be opened: \(reason)")
    }
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
    while flock(descriptor, operation) != 0 {
      guard waits, errno == EINTR else {
        close(descriptor)
        return nil
      }
    }
  }

  deinit { close(descriptor) }
}
