/// Waits until events pause, but not forever, as a pure machine.
///
/// Invariants:
/// 1. After an event it fires ``quiet`` seconds after the last one, and no later than ``most`` seconds
///    after the first.
/// 2. It fires once for all events before it, and never without one.
public struct Debounce: Hashable, Sendable {
  /// The required pause of events, in seconds.
  public let quiet: Double
  /// The longest delay of the first event, in seconds.
  public let most: Double
  private var first: Double?
  private var last = 0.0

  /// Creates a machine; the longest delay is at least the pause.
  public init(quiet: Double, most: Double) {
    self.quiet = max(0, quiet)
    self.most = max(self.quiet, most)
  }

  /// When it fires; `nil` without events.
  public var deadline: Double? { first.map { min(last + quiet, $0 + most) } }

  /// Records an event.
  ///
  /// - Parameter now: Seconds of a clock that never goes back.
  public mutating func note(at now: Double) {
    if first == nil { first = now }
    last = max(last, now)
  }

  /// Returns whether it fires now; if so, it is reset.
  public mutating func fires(at now: Double) -> Bool {
    guard let deadline, now >= deadline else { return false }
    first = nil
    last = 0
    return true
  }
}
