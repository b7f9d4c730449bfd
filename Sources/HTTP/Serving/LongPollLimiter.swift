import Synchronization

/// Those who wait for news, requests and streams: never too many, and all let out when the server ends.
package final class LongPollLimiter: Sendable {
  private struct State {
    var isClosed = false
    var waiting = 0
    var next = 0
    var doors: [Int: AsyncStream<Never>.Continuation] = [:]
  }

  private let state = Mutex(State())
  private let most: Int

  /// Opens a room.
  ///
  /// - Parameter most: The most that wait at a time.
  package init(most: Int) { self.most = most }

  /// How many wait.
  package var waiting: Int { state.withLock { $0.waiting } }

  /// Somebody's place in the room; it is free again when nobody holds the ticket any more.
  package final class Permit: Sendable {
    private let room: LongPollLimiter

    fileprivate init(_ room: LongPollLimiter) { self.room = room }

    deinit { room.state.withLock { $0.waiting -= 1 } }
  }

  /// Lets somebody in; nothing if there is no room.
  package func enter() -> Permit? {
    let isIn = state.withLock { state in
      guard !state.isClosed, state.waiting < most else { return false }
      state.waiting += 1
      return true
    }
    return isIn ? Permit(self) : nil
  }

  /// A sequence without elements that ends when the room is closed.
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

  /// Lets everybody out, and nobody in any more.
  package func close() {
    let doors = state.withLock { state in
      state.isClosed = true
      return Array(state.doors.values)
    }
    for door in doors { door.finish() }
  }
}
