/// An entity tag, the validator of a representation (RFC 9110 section 8.8.3).
///
/// A received tag is opaque: ``description`` and ``fieldValue`` return what was received, even
/// without the quotes that the grammar requires.
public struct EntityTag: Sendable, CustomStringConvertible {
  /// The characters between the quotes; of a tag without quotes, the whole string.
  public let opaque: String
  /// Whether the tag promises only equivalence, not equal bytes.
  public let isWeak: Bool
  /// Whether the tag is quoted; a legacy tag is not.
  public let isQuoted: Bool
  /// The bytes of the tag as written in a field, including quotes and weakness.
  public let fieldValue: [UInt8]

  /// Creates a tag.
  ///
  /// - Parameters:
  ///   - opaque: Visible ASCII without quotes.
  ///   - isWeak: Whether the tag promises only equivalence.
  public init(_ opaque: String, isWeak: Bool = false) {
    self.opaque = opaque
    self.isWeak = isWeak
    isQuoted = true
    fieldValue = Array(((isWeak ? "W/\"" : "\"") + opaque + "\"").utf8)
  }

  /// Reads the value of an ETag field: `"x"`, `W/"x"`, or a legacy string without quotes.
  ///
  /// A string in neither of the first two forms, such as `x` or `w/"x"`, is kept as it is, without
  /// surrounding whitespace. Returns `nil` for an empty value and for one with control characters.
  public init?(parsing field: some StringProtocol) {
    self.init(parsing: Array(field.utf8))
  }

  /// Reads the bytes of an ETag field, which need not be UTF-8.
  ///
  /// Returns `nil` for an empty value and for one with control characters.
  public init?(parsing field: some Collection<UInt8>) {
    let bytes = FieldSyntax.trimmed(field)
    guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    let isWeak = bytes.starts(with: "W/\"".utf8)
    let content = bytes.dropFirst(isWeak ? 3 : 1).dropLast()
    isQuoted =
      bytes.count >= (isWeak ? 4 : 2) && (isWeak || bytes.first == UInt8(ascii: "\""))
      && bytes.last == UInt8(ascii: "\"") && !content.contains(UInt8(ascii: "\""))
    self.isWeak = isQuoted && isWeak
    opaque = String(decoding: isQuoted ? content : bytes, as: UTF8.self)
    fieldValue = Array(bytes)
  }

  /// The tag as written in an ETag field.
  public var description: String { String(decoding: fieldValue, as: UTF8.self) }

  /// Returns whether two tags match by weak comparison (RFC 9110 section 8.8.3.2).
  ///
  /// The characters must be equal; weakness does not matter. A legacy tag matches a tag with the
  /// same spelling, not one in quotes.
  public func weaklyMatches(_ other: EntityTag) -> Bool {
    isQuoted == other.isQuoted && opaqueBytes == other.opaqueBytes
  }

  /// Returns whether two tags match by strong comparison (RFC 9110 section 8.8.3.2).
  ///
  /// Both must be strong. A legacy tag promises nothing and is never strong.
  public func stronglyMatches(_ other: EntityTag) -> Bool {
    isStrong && other.isStrong && opaqueBytes == other.opaqueBytes
  }

  /// Whether the tag promises equal bytes.
  public var isStrong: Bool { isQuoted && !isWeak }

  /// Returns whether an If-None-Match field includes the tag, by weak comparison (RFC 9110 section
  /// 13.1.2).
  ///
  /// - Parameter field: The field's value: `*`, or tags separated by commas.
  /// - Returns: Whether the tag, or any tag, is included.
  public func matches(ifNoneMatch field: String) -> Bool {
    EntityTagList(parsing: field).weaklyContains(self)
  }

  /// Returns whether an If-Match field includes the tag, by strong comparison (RFC 9110 section
  /// 13.1.1).
  ///
  /// - Parameter field: The field's value: `*`, or tags separated by commas.
  /// - Returns: Whether the tag, or any tag, is included.
  public func matches(ifMatch field: String) -> Bool {
    EntityTagList(parsing: field).stronglyContains(self)
  }

  private var opaqueBytes: ArraySlice<UInt8> {
    isQuoted ? fieldValue.dropFirst(isWeak ? 3 : 1).dropLast() : fieldValue[...]
  }
}

extension EntityTag: Hashable {
  /// Returns whether two tags have the same bytes.
  public static func == (left: EntityTag, right: EntityTag) -> Bool {
    left.fieldValue == right.fieldValue
  }

  /// Hashes the bytes of the tag.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fieldValue)
  }
}
