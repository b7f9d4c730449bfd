import Synchronization

/// Limits the number of long polls and event streams, and ends them all on shutdown.
package final class LongPollLimiter: Sendable {
  private struct State {
    var isClosed = false
    var waiting = 0
    var next = 0
    var doors: [Int: AsyncStream<Never>.Continuation] = [:]
  }

  private let state = Mutex(State())
  private let most: Int

  /// Creates a limiter.
  ///
  /// - Parameter most: The most waiters at a time.
  package init(most: Int) { self.most = most }

  /// The number of waiters.
  package var waiting: Int { state.withLock { $0.waiting } }

  /// A permit to wait; released when the last reference to it goes away.
  package final class Permit: Sendable {
    private let room: LongPollLimiter

    fileprivate init(_ room: LongPollLimiter) { self.room = room }

    deinit { room.state.withLock { $0.waiting -= 1 } }
  }

  /// Returns a permit; `nil` if the limit is reached or the server shuts down.
  package func enter() -> Permit? {
    let isIn = state.withLock { state in
      guard !state.isClosed, state.waiting < most else { return false }
      state.waiting += 1
      return true
    }
    return isIn ? Permit(self) : nil
  }

  /// Returns a sequence without elements that ends when the limiter closes.
  package func closing() -> AsyncStream<Never> {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let number = state.withLock { state -> Int? in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.doors[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.doors.removeValue(forKey: number) }
    }
    return stream
  }

  /// Ends all waits and rejects new ones.
  package func close() {
    let doors = state.withLock { state in
      state.isClosed = true
      return Array(state.doors.values)
    }
    for door in doors { door.finish() }
  }
}
