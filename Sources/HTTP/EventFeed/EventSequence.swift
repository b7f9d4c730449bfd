/// Decides which events of a numbered stream are applied, as a pure machine.
///
/// Invariants:
/// 1. ``last`` is the number of the last event applied, or of the snapshot it started from.
/// 2. It never goes back within an epoch, except by ``start(at:)``.
/// 3. An event is applied once, and only if all before it are.
///
/// ```
///            start(at:)                    receive: next
///   empty ──────────────▶ at last ◀──────────────────────────┐
///     │  receive: first       │                              │
///     └──────────────────────▶│── receive: duplicate, gap or new epoch: stays where it is
/// ```
///
/// After a gap or a new epoch the driver resumes from ``last`` (a replay delivers what is missing)
/// or gets a snapshot and calls ``start(at:)``. Until then each event gets the same verdict.
public struct EventSequence: Hashable, Sendable {
  /// What to do with an event.
  public enum Verdict: Hashable, Sendable {
    /// Apply it: it follows the last one, or is the first one seen.
    case apply
    /// Drop it: it, or a snapshot that contains it, was applied before.
    case duplicate
    /// Do not apply it: the events with these numbers are missing.
    case gap(missing: ClosedRange<Int64>)
    /// Do not apply it: the server counts in another epoch, and the known state may be wrong.
    case newEpoch(String)
  }

  /// The position in the stream; `nil` before the first event or snapshot.
  public private(set) var last: EventNumber?

  /// Creates a sequence.
  ///
  /// - Parameter last: The number of the snapshot to continue from.
  public init(last: EventNumber? = nil) {
    self.last = last
  }

  /// Records a snapshot that contains everything up to a number; `nil` resets the sequence.
  public mutating func start(at number: EventNumber?) {
    last = number
  }

  /// Records the arrival of an event.
  ///
  /// - Parameter number: The number of the event.
  /// - Returns: What to do with the event.
  public mutating func receive(_ number: EventNumber) -> Verdict {
    guard let last else {
      self.last = number
      return .apply
    }
    guard last.epoch == number.epoch else { return .newEpoch(number.epoch) }
    guard number.number > last.number else { return .duplicate }
    guard number == last.next else {
      return .gap(missing: last.number + 1...number.number - 1)
    }
    self.last = number
    return .apply
  }
}
