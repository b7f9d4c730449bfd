import Commands

/// What `freshet doctor` found of a server that is to run, a line for each check.
struct Checkup: Sendable {
  /// How something is.
  enum State: String, Encodable, Sendable {
    /// As it should be.
    case ok
    /// It works, and may not go on to.
    case warn
    /// It does not work.
    case fail
  }

  /// Something that was checked.
  struct Check: Encodable, Sendable {
    /// What it is, in one or two words.
    var name: String
    var state: State
    /// What was found.
    var sentence: String
    /// What to do about it; `nil` if nothing is to be done.
    var advice: String?
  }

  /// What was checked, in order.
  private(set) var checks: [Check] = []

  /// Whether nothing fails.
  var isGood: Bool { checks.allSatisfy { $0.state != .fail } }

  mutating func add(_ name: String, _ state: State, _ sentence: String, _ advice: String? = nil) {
    checks.append(Check(name: name, state: state, sentence: sentence, advice: advice))
  }

  /// The lines for a person.
  var text: String {
    let width = (checks.map(\.name.count).max() ?? 0) + 2
    var lines: [String] = []
    for check in checks {
      let head =
        Terminal.fit(check.state.rawValue, 6) + Terminal.fit(Terminal.plain(check.name), width)
      lines.append(head + Terminal.plain(check.sentence))
      if let advice = check.advice {
        lines.append(String(repeating: " ", count: 6 + width) + "→ " + Terminal.plain(advice))
      }
    }
    let failed = checks.count { $0.state == .fail }
    let warned = checks.count { $0.state == .warn }
    lines.append("")
    lines.append(
      failed == 0 && warned == 0
        ? "Everything is as it should be." : "\(failed) fail, \(warned) warn, of \(checks.count)."
    )
    return lines.map { $0 + "\n" }.joined()
  }
}

/// The limits of `freshet doctor`.
enum DoctorLimits {
  /// Less free space than this is a warning, in bytes: an import needs about as much as its feed, twice.
  static let warnFreeBytes: Int64 = 2 << 30
  /// Less free space than this fails, in bytes.
  static let leastFreeBytes: Int64 = 256 << 20
  /// The clocks of a machine and of others may differ by this, in seconds.
  static let clockSeconds = 30.0
  /// How long a source may take for the head of its response, in seconds.
  static let headSeconds: Int64 = 20
  /// The days before a certificate expires with a warning.
  static let certificateDays = 14
  /// No machine's clock is before this instant, in seconds since 1970: the first version of this program is of 2026.
  static let earliest = 1_767_225_600.0
}

/// A checkup for programs.
struct CheckupReport: Encodable {
  let isGood: Bool
  let checks: [Checkup.Check]

  init(_ checkup: Checkup) {
    isGood = checkup.isGood
    checks = checkup.checks
  }
}
