import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The turn of an import into a file: others wait until it ends, in this process or another.
///
/// It is a lock on a file beside the place, which the system frees however the process ends, and which goes with the turn.
struct ImportTurn {
  private let path: String
  private let descriptor: Int32

  /// Takes the turn, when that of another import has ended.
  ///
  /// - Parameters:
  ///   - place: The file that is made.
  ///   - waiting: Called if another import has the turn.
  /// - Returns: The turn.
  /// - Throws: ``LibraryError`` if the lock cannot be created.
  static func acquire(
    at place: String,
    waiting: () -> Void
  ) async throws(LibraryError) -> ImportTurn {
    let path = place + ".lock"
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw failure(path, errno) }
      var code = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
      if code == EWOULDBLOCK {
        waiting()
        code = await wait(for: descriptor)
      }
      guard code == 0 else {
        close(descriptor)
        throw failure(path, code)
      }
      let turn = ImportTurn(path: path, descriptor: descriptor)
      if turn.isCurrent { return turn }
      // The one before it has removed the file.
      close(descriptor)
    }
  }

  /// Lets the next one have its turn.
  func end() {
    unlink(path)
    // A program that is just being started has a copy of the descriptor until it runs, so closing it is not enough.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Whether the file that is locked is the one at the path.
  private var isCurrent: Bool {
    var (own, there) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &there) == 0
      && (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino)
  }

  private static func wait(for descriptor: Int32) async -> Int32 {
    await withCheckedContinuation { continuation in
      // Occupies a thread of Dispatch, and none of Swift's tasks.
      DispatchQueue.global().async {
        var code: Int32
        repeat { code = flock(descriptor, LOCK_EX) == 0 ? 0 : errno } while code == EINTR
        continuation.resume(returning: code)
      }
    }
  }

  private static func failure(_ path: String, _ code: Int32) -> LibraryError {
    LibraryError(.unusable, "\(path): \(String(cString: strerror(code)))")
  }
}
