/// Waits until events pause, but not for ever, as a pure machine.
///
/// Invariants:
/// 1. After an event it fires ``quiet`` seconds after the last one, and no later than ``most`` seconds
///    after the first.
/// 2. It fires once for all events before it, and never without one.
public struct Debounce: Hashable, Sendable {
  /// How long events have to pause, in seconds.
  public let quiet: Double
  /// The longest delay of the first event, in seconds.
  public let most: Double
  private var first: Double?
  private var last = 0.0

  /// Creates a machine; a shorter delay than the pause becomes the pause.
  public init(quiet: Double, most: Double) {
    self.quiet = max(0, quiet)
    self.most = max(self.quiet, most)
  }

  /// When it fires; nothing without events.
  public var deadline: Double? { first.map { min(last + quiet, $0 + most) } }

  /// An event came.
  ///
  /// - Parameter now: Seconds of a clock that never goes back.
  public mutating func note(at now: Double) {
    if first == nil { first = now }
    last = max(last, now)
  }

  /// Whether it fires now; if so, it starts anew.
  public mutating func fires(at now: Double) -> Bool {
    guard let deadline, now >= deadline else { return false }
    first = nil
    last = 0
    return true
  }
}
