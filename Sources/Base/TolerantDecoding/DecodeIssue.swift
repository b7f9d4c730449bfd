/// One deviation of a document from what its reader expected.
public struct DecodeIssue: Hashable, Sendable, CustomStringConvertible {
  /// How much a deviation costs.
  public enum Severity: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// Nothing is lost: an older name, a value that a newer writer knows.
    case note
    /// The value was understood otherwise than it is written: text as a number, a number moved into
    /// its bounds.
    case warning
    /// Something was lost: a value of another kind, an element, a member that had to be there.
    case loss

    /// Orders by cost.
    public static func < (left: Severity, right: Severity) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// What the deviation is.
  public enum Kind: Hashable, Sendable {
    /// The bytes are no JSON text within the limits; nothing was read.
    case notJSON
    /// A member that is expected is absent or null.
    case missing
    /// The value is of another kind and was left out.
    case wrongKind
    /// The value is of another kind and was converted.
    case converted
    /// The value is of the right kind, but cannot be what it should, and was left out.
    case invalid
    /// A number was rounded to a whole one.
    case rounded
    /// A number was moved into its bounds.
    case clamped
    /// A text that is none of those that are known; it was kept.
    case unknownValue
    /// The member has another name than today's.
    case alias
    /// An element was left out of a list.
    case droppedElement
    /// A list is longer than the limit; the rest was left out.
    case truncated
    /// A member stands twice; the first counts.
    case repeatedMember
    /// Damaged text was repaired.
    case repairedText
    /// A member that nobody read; only where unread members are counted.
    case unreadMember
  }

  /// Where, as a path: `payload.books[3].title`; empty for the document itself.
  public var path: String
  /// What the deviation is.
  public var kind: Kind
  /// How much it costs.
  public var severity: Severity
  /// What was expected and what was found, in one sentence without its full stop.
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

/// Why a document was refused.
public struct DecodeFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, in the order it was found; at least one.
  public var issues: [DecodeIssue]

  /// Creates a failure.
  public init(_ issues: [DecodeIssue]) { self.issues = issues }

  /// The issues, one after the other.
  public var description: String { issues.map(\.description).joined(separator: "; ") }
}
