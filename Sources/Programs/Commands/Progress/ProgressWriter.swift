/// Decides what is written of steps of long work: a line that is drawn again on a terminal, and lines for a log elsewhere.
///
/// A pure state machine: time goes in, in seconds of a clock that never goes back, and text for standard error comes out.
package struct ProgressWriter: Sendable {
  /// How progress is shown.
  package enum Style: Sendable {
    /// A line of a terminal that is drawn again.
    case redrawn
    /// Lines for a log, of steps that take long only.
    case lines
    /// Not at all.
    case hidden
  }

  /// The least time between two drawings of a step, in seconds.
  package static let drawSeconds = 0.1
  /// A step is in the log if it takes this long, in seconds.
  package static let firstLineSeconds = 10.0
  /// The time between two lines of a step in the log, in seconds.
  package static let lineSeconds = 30.0

  private let style: Style
  private var step: ProgressStep?
  private var isOpen = false
  private var nextWrite = 0.0

  /// Creates a writer.
  package init(_ style: Style) { self.style = style }

  /// Takes how far a step is; another name begins another step.
  ///
  /// - Parameters:
  ///   - name: What is done.
  ///   - done: How much of it is done.
  ///   - total: All of it; 0 if that is not known.
  ///   - unit: What is counted.
  ///   - remark: What follows the numbers.
  ///   - now: The time in seconds.
  ///   - columns: The columns of the terminal.
  /// - Returns: What to write.
  package mutating func show(
    _ name: String,
    done: Int,
    total: Int,
    unit: ProgressStep.Unit = .bytes,
    remark: String = "",
    at now: Double,
    columns: Int
  ) -> String {
    var step = ProgressStep(name, unit: unit, at: now)
    if let known = self.step, known.name == name {
      step = known
    } else {
      nextWrite = style == .lines ? now + Self.firstLineSeconds : now
    }
    step.update(done: done, total: total, remark: remark, at: now)
    self.step = step
    // The last drawing of a step is that it is done.
    return write(
      step,
      isDue: now >= nextWrite || step.isComplete && style == .redrawn,
      now,
      columns
    )
  }

  /// Takes that time has passed; returns what to write.
  package mutating func tick(at now: Double, columns: Int) -> String {
    guard var step else { return "" }
    step.update(at: now)
    self.step = step
    return write(step, isDue: now >= nextWrite, now, columns)
  }

  private mutating func write(
    _ step: ProgressStep,
    isDue: Bool,
    _ now: Double,
    _ columns: Int
  ) -> String {
    guard isDue else { return "" }
    switch style {
    case .hidden: return ""
    case .lines:
      nextWrite = now + Self.lineSeconds
      return step.logLine(at: now) + "\n"
    case .redrawn:
      nextWrite = now + Self.drawSeconds
      isOpen = true
      return "\r" + step.line(at: now, columns: columns) + "\u{1B}[K"
    }
  }

  /// Removes the line from the terminal, for other output or at the end of a step; returns what to write.
  package mutating func clear() -> String {
    step = nil
    defer { isOpen = false }
    return isOpen ? "\r\u{1B}[K" : ""
  }
}
