import Freshness
package import FreshnessRuntime
import TerminalText

/// How old what is shown is, and what the engine does about it, in one line: the age first, so that it is in view
/// however narrow the terminal is.
package enum FreshnessLine {
  /// The age from which a copy that no stream keeps fresh is no longer called fresh.
  private static let old = Instant.Duration.seconds(45)

  /// The line.
  ///
  /// - Parameters:
  ///   - report: How fresh it is; `nil` before the first request.
  ///   - failure: The last failure.
  ///   - losses: The elements of the newest answer that could not be read.
  ///   - isMetered: Whether the network is metered, so that nothing is streamed.
  ///   - textStyle: The width and the colors.
  /// - Returns: The line.
  package static func text(
    _ report: FreshnessReport?,
    failure: LiveFailure?,
    losses: String? = nil,
    isMetered: Bool,
    _ textStyle: TextStyle
  ) -> String {
    var parts: [String] = []
    var (mark, style) = ("○", "2")
    if let age = report?.verifiedAgo {
      (mark, style) = ("●", "32")
      if report?.isStreaming == false, age > old { (mark, style) = ("◐", "33") }
      parts.append(ago(age))
    } else {
      parts.append("nothing yet")
    }
    if let failure {
      (mark, style) = ("▲", "33")
      parts.append(TerminalText.line(failure.description, longest: 200))
    }
    if let losses {
      style = "33"
      parts.append(TerminalText.line(losses, longest: 200))
    }
    if let report {
      if report.isStreaming { parts.append("events") }
      if isMetered { parts.append("metered") }
      if report.isRequesting {
        parts.append("requesting …")
      } else if let next = report.nextActionIn, !report.isStreaming {
        parts.append("next in \((next.milliseconds + 999) / 1_000) s")
      }
      if let changed = report.changedAgo, failure == nil, ago(changed) != parts.first {
        parts.append("changed \(ago(changed))")
      }
    }
    return textStyle.line("\(mark) \(parts.joined(separator: " · "))", style)
  }

  private static func ago(_ age: Instant.Duration) -> String {
    switch Age.wording(age) {
    case .seconds(let count): "\(count) s ago"
    case .minutes(let count): "\(count) min ago"
    case .hours(let count): "\(count) h ago"
    }
  }
}
