import TerminalText

/// A step of long work: what it is called, how far it is, and since when it runs.
///
/// A pure value: the caller passes the time, in seconds of a clock that never goes back.
package struct ProgressStep: Sendable {
  /// What is counted.
  package enum Unit: Hashable, Sendable {
    /// Bytes.
    case bytes
    /// Things, by their plural: `rows`.
    case items(String)
    /// Parts of a whole, which are not shown.
    case share
  }

  /// How wide a bar is, in columns: the narrower, the less room the terminal leaves beside what is said.
  package static let barColumns = 8...24
  /// How wide the name is, in columns.
  package static let nameColumns = 22
  /// How wide a share is, in columns.
  private static let shareColumns = 6
  /// How wide the time left is at most, in columns.
  private static let timeColumns = "about 59 min left".count

  /// What is done: `reading stops.txt`.
  package let name: String
  /// What is counted.
  package let unit: Unit
  /// What follows the numbers, such as the title of a book.
  package private(set) var remark = ""
  private let began: Double
  private var done = 0
  private var total = 0
  private var estimate = ProgressEstimate()
  private var left: Double?

  /// Creates a step that begins.
  package init(_ name: String, unit: Unit = .bytes, at now: Double) {
    self.name = name
    self.unit = unit
    began = now
  }

  /// Takes how far the step is; a total of 0 is not known.
  package mutating func update(done: Int, total: Int, remark: String = "", at now: Double) {
    (self.done, self.total, self.remark) = (done, total, remark)
    left = estimate.update(done: Double(done), total: Double(total), at: now)
  }

  /// Takes that time has passed.
  package mutating func update(at now: Double) {
    left = estimate.update(done: Double(done), total: Double(total), at: now)
  }

  /// Whether all of it is done.
  package var isComplete: Bool { total > 0 && done >= total }

  /// The line of a terminal: name, bar, share, count and the time left, or the time taken if that is not known.
  ///
  /// - Parameters:
  ///   - now: The time in seconds.
  ///   - columns: The columns of the terminal.
  /// - Returns: The text, without control characters.
  package func line(at now: Double, columns: Int) -> String {
    var parts = [Terminal.fit(Terminal.plain(name), Self.nameColumns)]
    if let share {
      let width = barWidth(of: columns)
      let filled = Int(share * Double(width))
      let bar =
        String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
      parts.append(bar + Terminal.fit("\(Int(share * 100)) %", Self.shareColumns, atEnd: true))
    }
    parts += [counted, time(at: now), Terminal.plain(remark)].filter { !$0.isEmpty }
    return TerminalText.trimmed(Terminal.fit(parts.joined(separator: "  "), max(columns - 1, 1)))
  }

  /// How wide the bar is, so that the count and the time left always have room.
  private func barWidth(of columns: Int) -> Int {
    let count =
      switch unit {
      case .bytes: 2 * Quantity.bytes(total).count + 4
      case .items(let plural): 2 * Quantity.count(total).count + 5 + plural.count
      case .share: 0
      }
    let others = Self.nameColumns + 2 + Self.shareColumns + 2 + count + 2 + Self.timeColumns
    return max(Self.barColumns.lowerBound, min(Self.barColumns.upperBound, columns - 1 - others))
  }

  /// A line for a log.
  package func logLine(at now: Double) -> String {
    let share = share.map { "\(Int($0 * 100)) %" } ?? ""
    let said = [share, counted, time(at: now)].filter { !$0.isEmpty }.joined(separator: ", ")
    return "\(Terminal.plain(name)): \(said)"
  }

  private var share: Double? {
    total > 0 ? min(1, max(0, Double(done) / Double(total))) : nil
  }

  private var counted: String {
    switch unit {
    case .bytes:
      guard done > 0 else { return "" }
      return total > done
        ? "\(Quantity.bytes(done)) of \(Quantity.bytes(total))" : Quantity.bytes(done)
    case .items(let plural):
      guard total > 0 || done > 0 else { return "" }
      let all = total > 0 ? " of \(Quantity.count(total))" : ""
      return "\(Quantity.count(done))\(all) \(plural)"
    case .share: return ""
    }
  }

  private func time(at now: Double) -> String {
    if isComplete { return "" }
    if let left { return Self.text(left: left) }
    let taken = Int(now - began)
    return taken > 0 ? Self.text(seconds: taken) : ""
  }

  /// Returns how long the rest takes, no more exactly than it is known: `about 40 s left`.
  package static func text(left: Double) -> String {
    let seconds = max(1, Int(left.rounded(.up)))
    return switch seconds {
    case ...10: "about \(seconds) s left"
    case ...60: "about \((seconds + 4) / 5 * 5) s left"
    case ..<3_600: "about \((seconds + 30) / 60) min left"
    default: "about \(text(seconds: (seconds + 300) / 600 * 600)) left"
    }
  }

  private static func text(seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min \(seconds % 60) s"
    default: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }
  }
}
