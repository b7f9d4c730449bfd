/// A deviation of a document from what its reader expected.
public struct DecodeIssue: Hashable, Sendable, CustomStringConvertible {
  /// The severity of a deviation.
  public enum Severity: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// Nothing is lost: a former name, or a value from a newer writer.
    case note
    /// The value was interpreted differently from how it is written: a string as a number, a number
    /// clamped to its bounds.
    case warning
    /// Something was lost: a value of another kind, an element, a required member.
    case loss

    /// Compares two severities.
    public static func < (left: Severity, right: Severity) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// The kind of a deviation.
  public enum Kind: Hashable, Sendable {
    /// The bytes are not valid JSON within the limits; nothing was read.
    case notJSON
    /// An expected member is absent or null.
    case missing
    /// The value is of another kind and was dropped.
    case wrongKind
    /// The value is of another kind and was converted.
    case converted
    /// The value is of the right kind but not valid, and was dropped.
    case invalid
    /// A number was rounded to a whole number.
    case rounded
    /// A number was clamped to its bounds.
    case clamped
    /// A string that is not a known value; it was kept.
    case unknownValue
    /// The member has a former name.
    case alias
    /// An element of a list was dropped.
    case droppedElement
    /// A list exceeds the limit; the rest was dropped.
    case truncated
    /// A member is repeated; the first counts.
    case repeatedMember
    /// A damaged string was repaired.
    case repairedText
    /// A member that was not read; only if unread members are counted.
    case unreadMember
  }

  /// The path, such as `payload.books[3].title`; empty for the document itself.
  public var path: String
  /// The kind of the deviation.
  public var kind: Kind
  /// The severity of the deviation.
  public var severity: Severity
  /// What was expected and what was found, in one sentence without a period.
  public var message: String

  /// Creates an issue.
  public init(path: String, kind: Kind, severity: Severity, message: String) {
    self.path = path
    self.kind = kind
    self.severity = severity
    self.message = message
  }

  /// The path and the message.
  public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

extension [DecodeIssue] {
  /// What was lost, in one line: the first loss, and how many there are beside it; `nil` if nothing was lost.
  public var lossSummary: String? {
    let losses = filter { $0.severity == .loss }
    guard let first = losses.first else { return nil }
    return "unreadable: \(first)" + (losses.count > 1 ? " and \(losses.count - 1) more" : "")
  }
}

/// The reason why a document was rejected.
public struct DecodeFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The issues, in the order they were found; at least one.
  public var issues: [DecodeIssue]

  /// Creates a failure.
  public init(_ issues: [DecodeIssue]) { self.issues = issues }

  /// The issues, joined.
  public var description: String { issues.map(\.description).joined(separator: "; ") }
}
