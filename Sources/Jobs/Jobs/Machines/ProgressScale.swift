/// Turns the share of a phase into the share of the whole; it never falls.
public struct ProgressScale: Hashable, Sendable {
  private let starts: [String: (from: Double, share: Double)]
  private let names: [String]
  /// The share of the whole so far, 0 to 1.
  public private(set) var fraction: Double

  /// Creates a scale.
  ///
  /// - Parameters:
  ///   - phases: The phases in order.
  ///   - fraction: The progress so far, for resumed work.
  public init(_ phases: [JobPhase], from fraction: Double = 0) {
    let whole = phases.reduce(0) { $0 + max(0, $1.weight) }
    var starts: [String: (from: Double, share: Double)] = [:]
    var sum = 0.0
    for phase in phases {
      let share = whole > 0 ? max(0, phase.weight) / whole : 0
      if starts[phase.name] == nil { starts[phase.name] = (sum, share) }
      sum += share
    }
    self.starts = starts
    names = phases.map(\.name)
    self.fraction = min(max(fraction, 0), 1)
  }

  /// Moves on.
  ///
  /// - Parameters:
  ///   - phase: The name of the phase; one that is not known moves nothing.
  ///   - share: How much of it is done; numbers outside 0 to 1 are moved to the nearest end.
  /// - Returns: The share of the whole.
  public mutating func move(to phase: String, _ share: Double) -> Double {
    guard let start = starts[phase], share.isFinite else { return fraction }
    fraction = min(1, max(fraction, start.from + start.share * min(max(share, 0), 1)))
    return fraction
  }

  /// Compares by phases and share.
  public static func == (left: ProgressScale, right: ProgressScale) -> Bool {
    left.names == right.names && left.fraction == right.fraction
  }

  /// Hashes phases and share.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(names)
    hasher.combine(fraction)
  }
}
