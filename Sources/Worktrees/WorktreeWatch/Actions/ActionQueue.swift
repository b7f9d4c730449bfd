import Git
import Glibc
import Synchronization
import Workspaces

/// Lets actions on a repository wait for each other: one at a time for each common directory, also those of other servers.
final class ActionQueue: Sendable {
  private let semaphores = Mutex<NameTable<AsyncSemaphore>>([:])
  private let patience: Double

  /// Creates a queue.
  ///
  /// - Parameter patience: How long an action waits for another server, in seconds.
  init(patience: Double = WatchLimits.repositoryPatience) { self.patience = patience }

  /// Runs an action when it is its turn.
  ///
  /// - Parameters:
  ///   - common: The common directory of the repository.
  ///   - mayWait: Throws if the action should no longer begin; called repeatedly while it waits.
  ///   - body: The action.
  /// - Returns: What the action returns.
  /// - Throws: ``ActionRefusal`` if another server acts on the repository for too long; `CancellationError` if the task is
  ///   cancelled while it waits; what `mayWait` and the action throw.
  func run<Result>(
    _ common: String,
    mayWait: () throws -> Void = {},
    _ body: () async throws -> Result
  ) async throws -> Result {
    let semaphore = semaphores.withLock { semaphores in
      if let semaphore = semaphores[common] { return semaphore }
      let semaphore = AsyncSemaphore(1)
      semaphores[common] = semaphore
      return semaphore
    }
    try await semaphore.enter()
    defer { semaphore.leave() }
    let lock = try await RepositoryLock.acquire(common, patience: patience, mayWait: mayWait)
    defer { withExtendedLifetime(lock) {} }
    return try await body()
  }
}

/// The lock that all servers of a machine take to act on a repository (flock(2)).
///
/// It is on the common directory itself, which is reached without following a link, so that nothing is written and nothing
/// that is removed or replaced there takes it away. The system gives it back when its holder ends, however it ends.
final class RepositoryLock: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Unlocks, then closes: a program that is just being started has a copy of the descriptor until it runs, and with it the lock.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - common: The common directory of the repository.
  ///   - patience: How long it waits for another holder, in seconds.
  ///   - mayWait: Throws if the lock should no longer be taken; called repeatedly while it waits.
  /// - Returns: The lock, which is given back when its last holder ends.
  /// - Throws: ``ActionRefusal`` if that is not long enough, or the directory cannot be opened; `CancellationError`; what
  ///   `mayWait` throws.
  static func acquire(
    _ common: String,
    patience: Double,
    mayWait: () throws -> Void = {}
  ) async throws -> RepositoryLock {
    let end = WatchClock.monotonic + patience
    while true {
      try mayWait()
      if let lock = try attempt(common) { return lock }
      guard WatchClock.monotonic < end else {
        throw ActionRefusal(
          .operationInProgress,
          "another server is doing something to \(common), and has not ended within \(Int(patience.rounded(.up))) s; try again"
        )
      }
      try await Task.sleep(for: .seconds(WatchLimits.lockPause))
    }
  }

  /// Takes the lock if it is free.
  ///
  /// A waiter has nothing open: the holder would take it for a process that uses the worktree that the directory is in.
  private static func attempt(_ common: String) throws(ActionRefusal) -> RepositoryLock? {
    let descriptor = OpenFolder.open(common)?.openToLock() ?? -1
    guard descriptor >= 0 else {
      throw ActionRefusal(
        .gitFailed,
        "\(common) cannot be opened to lock the repository, or is not reached without a link"
      )
    }
    let lock = RepositoryLock(descriptor)
    // Some file systems have no locks: then there is nothing to wait for.
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK ? lock : nil
  }
}
