/// The shape that a client's own types give to a JSON value: kinds, optionality, closed enumerations, forms of dates.
///
/// Shapes are data. They are re-stated from what the apps' types accept, so that a server can be checked without the apps:
///
///     static let todo: JSONShape = .object([
///       "id": .string,
///       "status": .oneOf(["pending", "in_progress", "completed"]),
///       "finishedAt": .optional(.date(.wholeSeconds)),
///     ])
///
/// Members that a shape does not name are ignored, as all three kinds of decoder do. ``faults(in:as:)`` compares a
/// value with a shape.
package indirect enum JSONShape: Hashable, Sendable {
  /// Any value, null too, and also an absent member.
  case anything
  /// A boolean.
  case bool
  /// A number without a fraction, within bounds; `5.0` has none.
  case whole(ClosedRange<Int64>)
  /// Any number.
  case number
  /// A string.
  case string
  /// One of these strings: an enumeration that is closed.
  case oneOf([String])
  /// An instant.
  case date(DateForm)
  /// A list of these.
  case list(JSONShape)
  /// An object used as a dictionary, with values of this shape.
  case map(JSONShape)
  /// An object with these members; a member without a marker of its own must be there and not be null.
  case object([String: JSONShape])
  /// An object whose other members depend on the string in one of them, such as the type of a message. Words that are not
  /// listed are faults.
  case tagged(by: String, [String: JSONShape])
  /// The first of these that fits, as a client does that tries one type after the other.
  case first([JSONShape])
  /// All of these at once, such as the members common to all messages and those of one.
  case all([JSONShape])
  /// Absent, null, or of this shape (`decodeIfPresent` in Swift).
  case optional(JSONShape)
  /// There, and null or of this shape (JSON Schema's required with a type of null).
  case nullable(JSONShape)
  /// Absent, or there and of this shape: null is a fault.
  case absentOr(JSONShape)

  /// A whole number that fits into 64 bits: Swift's `Int`.
  package static let integer = JSONShape.whole(.min ... .max)
  /// A number that fits into 32 bits.
  package static let int32 = JSONShape.whole(Int64(Int32.min)...Int64(Int32.max))

  /// How an instant is written.
  package enum DateForm: String, Hashable, Sendable {
    /// RFC 3339 without fractions of a second: `ISO8601DateFormatter` as it comes, and decoders that rest on it.
    case wholeSeconds = "RFC 3339 without fractions of a second"
    /// RFC 3339 with fractions: `ISO8601DateFormatter` with `.withFractionalSeconds`.
    case fractions = "RFC 3339 with fractions of a second"
    /// RFC 3339 with or without fractions: clients that try both forms, and `new Date()`.
    case anySeconds = "RFC 3339"
    /// Seconds since 1970 as a number.
    case secondsSince1970 = "seconds since 1970"
    /// Milliseconds since 1970 as a number.
    case millisecondsSince1970 = "milliseconds since 1970"
    /// A calendar day, `YYYY-MM-DD`.
    case day = "a day YYYY-MM-DD"
  }

  /// Whose rules a value is read by.
  package enum Reader: String, Hashable, Sendable {
    /// Synthesized `Codable` with `JSONDecoder`: kinds are exact, unknown words of an enumeration are errors.
    case codable
    /// Gson: a member that is absent or null leaves its field unset whatever the type says, texts of numbers are
    /// numbers, scalars are texts, and unknown words leave a field unset.
    case gson
    /// A script: kinds as named, words are open, and null is as good as absent.
    case javaScript
  }
}

/// A member or an element that a client could not read.
package struct ShapeFault: Hashable, Sendable, CustomStringConvertible {
  /// Where, as a path: `departures[3].delayMin`; empty for the whole value.
  package var path: String
  /// What the client's type expects.
  package var expected: String
  /// What was found.
  package var found: String

  package init(path: String, expected: String, found: String) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// `departures[3].delayMin: expected a whole number, found "3"`.
  package var description: String {
    (path.isEmpty ? "" : "\(path): ") + "expected \(expected), found \(found)"
  }
}
