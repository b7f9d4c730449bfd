import FreshnessRuntime
import Synchronization

/// The newest snapshot that was not told yet: whoever prints slowly skips some, and none pile up.
final class NewestSnapshot: Sendable {
  private struct State {
    var snapshot: LiveSnapshot<DocumentCopy>?
    var number = 0
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Puts a snapshot in the place of the one before, and numbers it.
  func put(_ snapshot: LiveSnapshot<DocumentCopy>) -> Int {
    state.withLock { state in
      state.snapshot = snapshot
      state.number += 1
      return state.number
    }
  }

  /// Takes the snapshot of a number, if it is still the newest.
  ///
  /// An older number gives nothing: the newer one's turn comes, after whatever happened before it.
  func take(_ number: Int) -> LiveSnapshot<DocumentCopy>? {
    state.withLock { state in
      guard number == state.number else { return nil }
      defer { state.snapshot = nil }
      return state.snapshot
    }
  }

  /// Ends the printing: what waits is not told any more.
  func close() { state.withLock { $0.isClosed = true } }

  /// Whether the printing has ended.
  var isClosed: Bool { state.withLock { $0.isClosed } }
}
