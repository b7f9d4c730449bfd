import FreshnessRuntime
import Synchronization

/// The newest snapshot that was not printed yet: a slow consumer skips some, and they do not
/// accumulate.
final class NewestSnapshot: Sendable {
  private struct State {
    var snapshot: LiveSnapshot<DocumentCopy>?
    var number = 0
    var isClosed = false
    var hasCopy = false
  }

  private let state = Mutex(State())

  /// Replaces the previous snapshot, and returns a number for this one.
  func put(_ snapshot: LiveSnapshot<DocumentCopy>) -> Int {
    state.withLock { state in
      state.snapshot = snapshot
      state.number += 1
      if snapshot.value != nil { state.hasCopy = true }
      return state.number
    }
  }

  /// Takes the snapshot with a number, if it is still the newest.
  ///
  /// Returns `nil` for an older number: the newer one is printed later, in its order.
  func removeSnapshot(_ number: Int) -> LiveSnapshot<DocumentCopy>? {
    state.withLock { state in
      guard number == state.number else { return nil }
      defer { state.snapshot = nil }
      return state.snapshot
    }
  }

  /// Whether any snapshot had a copy of the document.
  var hasCopy: Bool { state.withLock { $0.hasCopy } }

  /// Ends the printing: a pending snapshot is not printed.
  func close() { state.withLock { $0.isClosed = true } }

  /// Whether the printing has ended.
  var isClosed: Bool { state.withLock { $0.isClosed } }
}
