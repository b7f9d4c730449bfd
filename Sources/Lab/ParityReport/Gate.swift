/// A requirement on a recording, and whether it is met.
package struct Gate: Hashable, Sendable {
  /// The reason why a gate is not passed.
  package struct Finding: Hashable, Sendable {
    /// The problem, with its numbers.
    package var says: String
    /// The first lines of the file that show it.
    package var lines: [Int]
    /// The number of such lines.
    package var count: Int
    /// The file of the lines, if two are compared.
    package var file: String?

    /// Creates a finding about some lines.
    init(_ says: String, _ lines: [Int] = [], file: String? = nil) {
      self.says = says
      self.lines = Array(lines.prefix(ReportLimits.mostLines))
      count = lines.count
      self.file = file
    }
  }

  /// The name of the gate, such as `clocks_agree`.
  package var id: String
  /// The requirement.
  package var says: String
  /// What was measured.
  package var measured: String
  /// The problems; empty if the gate is passed.
  package var findings: [Finding]
  /// Whether the gate is one of the seed's own (mesdeparts.md 6.1).
  package var isOfSeed: Bool

  /// Creates a gate.
  init(
    _ id: String,
    _ says: String,
    measured: String,
    _ findings: [Finding] = [],
    isOfSeed: Bool = false
  ) {
    self.id = id
    self.says = says
    self.measured = measured
    self.findings = findings
    self.isOfSeed = isOfSeed
  }

  /// Whether the gate is passed.
  package var isPassed: Bool { findings.isEmpty }
}
