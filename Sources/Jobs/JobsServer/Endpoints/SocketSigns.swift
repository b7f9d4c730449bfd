import Synchronization

/// The signs of life of a client: which messages it does not take, and which ping it does not answer.
package final class SocketSigns: Sendable {
  private struct State {
    var next = 0
    var sends: [Int: ContinuousClock.Instant] = [:]
    var asked: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  package init() {}

  /// A message begins to be sent.
  ///
  /// - Returns: Its number.
  package func began(_ now: ContinuousClock.Instant = .now) -> Int {
    state.withLock { state in
      state.next += 1
      state.sends[state.next] = now
      return state.next
    }
  }

  /// A message is sent.
  package func ended(_ number: Int) { state.withLock { $0.sends[number] = nil } }

  /// A ping is sent; an earlier one that was not answered counts on.
  package func asked(_ now: ContinuousClock.Instant = .now) {
    state.withLock { $0.asked = $0.asked ?? now }
  }

  /// The client said something.
  package func heard() { state.withLock { $0.asked = nil } }

  /// Whether a message or a ping has waited since an instant.
  package func isSilent(since instant: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      (state.asked.map { $0 <= instant } ?? false) || state.sends.values.contains { $0 <= instant }
    }
  }
}
