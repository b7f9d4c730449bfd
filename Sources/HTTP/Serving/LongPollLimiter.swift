import Synchronization

/// Limits the number of long polls and event streams, and ends them all on shutdown.
package final class LongPollLimiter: Sendable {
  private struct State {
    var isClosed = false
    var places: FairPlaces
    var next = 0
    var continuations: [Int: AsyncStream<Never>.Continuation] = [:]
  }

  private let state: Mutex<State>

  /// Creates a limiter.
  ///
  /// - Parameter most: The most waiters at a time.
  package init(most: Int) { state = Mutex(State(places: FairPlaces(most: most))) }

  /// The number of waiters.
  package var waiting: Int { state.withLock { $0.places.taken } }

  /// A permit to wait; released when the last reference to it goes away.
  package final class Permit: Sendable {
    private let room: LongPollLimiter
    private let network: ClientNetwork?

    fileprivate init(_ room: LongPollLimiter, _ network: ClientNetwork?) {
      self.room = room
      self.network = network
    }

    deinit { room.state.withLock { $0.places.leave(network) } }
  }

  /// Why there is no permit.
  package enum Refusal: Error, Hashable {
    /// The client's network has its share of permits.
    case share
    /// All permits are taken, or the server shuts down.
    case full
  }

  /// Returns a permit for the client of the request that the task works on, or why there is none.
  package func acquire() -> Result<Permit, Refusal> {
    let admission = AdmissionPermit.current
    let refusal = state.withLock { state -> Refusal? in
      guard !state.isClosed else { return .full }
      switch state.places.enter(admission?.network, percent: admission?.percent ?? 100) {
      case nil: return nil
      case .share: return .share
      case .full: return .full
      }
    }
    return refusal.map { .failure($0) } ?? .success(Permit(self, admission?.network))
  }

  /// Returns a permit; `nil` if there is none for the client.
  package func enter() -> Permit? { try? acquire().get() }

  /// Returns a sequence without elements that ends when the limiter closes.
  package func closing() -> AsyncStream<Never> {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let number = state.withLock { state -> Int? in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.continuations[state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.continuations.removeValue(forKey: number) }
    }
    return stream
  }

  /// Ends all waits and rejects new ones.
  package func close() {
    let continuations = state.withLock { state in
      state.isClosed = true
      return Array(state.continuations.values)
    }
    for continuation in continuations { continuation.finish() }
  }
}
