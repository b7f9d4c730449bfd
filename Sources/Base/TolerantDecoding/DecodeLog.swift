import StrictJSON

/// Collects issues while one document is decoded; at most so many, the rest is counted.
///
/// A reference that belongs to one decoding; it does not cross tasks.
public final class DecodeLog {
  /// The issues so far, in order, at most as many as the limit says.
  public private(set) var issues: [DecodeIssue] = []
  /// How many issues there were in all, by severity: notes, warnings, losses.
  public private(set) var counts = [0, 0, 0]
  /// The limits of this decoding.
  public let limits: DecodeLimits

  /// What is decoded.
  let document: JSONDocument
  /// The place that paths begin at.
  let root: Int

  /// Starts without an issue.
  init(_ document: JSONDocument, root: Int, limits: DecodeLimits) {
    self.document = document
    self.root = root
    self.limits = limits
  }

  /// The gravest severity so far; nothing without an issue.
  public var gravest: DecodeIssue.Severity? {
    DecodeIssue.Severity.allCases.last { counts[$0.rawValue] > 0 }
  }

  /// Counts an issue, and says whether it would be kept: what is not kept need not be put into words.
  func keeps(_ severity: DecodeIssue.Severity) -> Bool {
    guard issues.count >= limits.issues else { return true }
    if issues.contains(where: { $0.severity < severity }) { return true }
    counts[severity.rawValue] += 1
    return false
  }

  /// Adds an issue.
  ///
  /// A grave one takes the place of a lighter one when the list is full.
  ///
  /// - Parameter issue: What was found.
  public func add(_ issue: DecodeIssue) {
    counts[issue.severity.rawValue] += 1
    if issues.count < limits.issues {
      issues.append(issue)
    } else if let place = issues.lastIndex(where: { $0.severity < issue.severity }) {
      issues.remove(at: place)
      issues.append(issue)
    }
  }
}

@available(*, unavailable)
extension DecodeLog: Sendable {}
