import Glibc
import Synchronization

/// The right to run the jobs of a folder: one process has it at a time, until it is given back or this ends.
///
/// It is a lock on the file `lock` in the folder, which the system frees however the process ends.
final class FolderLock: Sendable {
  private let lock: Mutex<Int32?>

  /// Locks a folder.
  ///
  /// - Parameter folder: An existing folder.
  /// - Throws: ``JobStoreError/inUse(_:)`` if another server has it; ``JobStoreError/unwritable(_:)`` if the lock cannot
  ///   be created.
  init(_ folder: String) throws(JobStoreError) {
    let path = folder + "/lock"
    let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else {
      throw .unwritable("\(path): cannot be opened: \(Self.reason(errno))")
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(lock)
      throw code == EWOULDBLOCK
        ? .inUse(folder) : .unwritable("\(path): cannot be locked: \(Self.reason(code))")
    }
    self.lock = Mutex(lock)
  }

  deinit { giveBack() }

  /// Lets another process have the folder.
  ///
  /// A program that is just being started has a copy of the descriptor until it runs, so closing it is not enough.
  func giveBack() {
    lock.withLock { lock in
      if let lock {
        flock(lock, LOCK_UN)
        close(lock)
      }
      lock = nil
    }
  }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
