/// One thing a recording must show, and whether it does.
package struct Gate: Hashable, Sendable {
  /// Why a gate is not passed.
  package struct Finding: Hashable, Sendable {
    /// What is wrong, with its numbers.
    package var says: String
    /// The lines of the file that show it, the first few.
    package var lines: [Int]
    /// How many such lines there are.
    package var count: Int
    /// The file of the lines, where two are compared.
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
  /// What must hold.
  package var says: String
  /// What was measured.
  package var measured: String
  /// What is wrong; nothing if the gate is passed.
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
