import Synchronization

/// Notifies any number of subscribers that something changed.
public final class UpdateBroadcaster: Sendable {
  private struct State {
    var next = 0
    var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
  }

  private let state = Mutex(State())

  /// Creates a broadcaster without subscribers.
  public init() {}

  /// Returns a sequence with an element now and one after each ``send()``; elements that are not yet read are merged.
  public func updates() -> AsyncStream<Void> {
    let (stream, continuation) = subscribe()
    continuation.yield()
    return stream
  }

  /// Returns a sequence with an element after each ``send()``, and none now; elements that are not yet read are merged.
  package func changes() -> AsyncStream<Void> { subscribe().stream }

  private func subscribe() -> (stream: AsyncStream<Void>, AsyncStream<Void>.Continuation) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let number = state.withLock { state in
      state.next += 1
      state.subscribers[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.subscribers.removeValue(forKey: number) }
    }
    return (stream, continuation)
  }

  /// Notifies all subscribers.
  public func send() {
    let subscribers = state.withLock { Array($0.subscribers.values) }
    for subscriber in subscribers { subscriber.yield() }
  }

  /// The number of subscribers.
  public var subscribers: Int { state.withLock { $0.subscribers.count } }
}
