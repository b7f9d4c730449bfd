import Synchronization

/// Limits the number of long polls and event streams, and ends them all on shutdown.
package final class LongPollLimiter: Sendable {
  private struct State {
    var isClosed = false
    var places: FairPlaces
    /// The number of waiters by key.
    var sharers: [String: Int] = [:]
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

  /// Whether all waits have ended.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// A permit to wait; released when the last reference to it goes away.
  package final class Permit: Sendable {
    private let limiter: LongPollLimiter
    private let network: ClientNetwork?
    private let key: String?

    fileprivate init(_ limiter: LongPollLimiter, _ network: ClientNetwork?, _ key: String?) {
      self.limiter = limiter
      self.network = network
      self.key = key
    }

    deinit {
      limiter.state.withLock { state in
        state.places.leave(network)
        guard let key else { return }
        let sharers = (state.sharers[key] ?? 0) - 1
        state.sharers[key] = sharers > 0 ? sharers : nil
      }
    }
  }

  /// Why there is no permit.
  package enum Refusal: Error, Hashable {
    /// The client's network has its share of permits.
    case share
    /// All permits are taken, or the server shuts down.
    case full
  }

  /// Returns a permit for the client of the request that the task works on, or the reason for a refusal.
  ///
  /// - Parameters:
  ///   - key: What the client waits for, if that has a limit of its own.
  ///   - most: The most waiters for the same key at a time.
  /// - Returns: The permit, or the reason for a refusal.
  package func acquire(_ key: String? = nil, atMost most: Int = .max) -> Result<Permit, Refusal> {
    let admission = AdmissionPermit.current
    let refusal = state.withLock { state -> Refusal? in
      let sharers = key.flatMap { state.sharers[$0] } ?? 0
      guard !state.isClosed, sharers < most else { return .full }
      switch state.places.enter(admission?.network, percent: admission?.percent ?? 100) {
      case nil:
        if let key { state.sharers[key] = sharers + 1 }
        return nil
      case .share: return .share
      case .full: return .full
      }
    }
    return refusal.map { .failure($0) } ?? .success(Permit(self, admission?.network, key))
  }

  /// Returns a permit, or `nil` if the client is refused.
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
