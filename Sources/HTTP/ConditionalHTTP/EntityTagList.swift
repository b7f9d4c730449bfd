/// The value of an If-None-Match or If-Match field: any tag, or a list of tags (RFC 9110
/// sections 13.1.1 and 13.1.2).
public enum EntityTagList: Hashable, Sendable, CustomStringConvertible {
  /// `*`: any current representation.
  case any
  /// The tags in order.
  case tags([EntityTag])

  /// Reads the value of a field.
  ///
  /// Never fails: an element without quotes is a legacy tag, up to the next comma. An unclosed
  /// quote ends the list, which leaves a tag that matches no tag of a server.
  public init(parsing field: String) {
    var scanner = FieldScanner(field)
    var tags: [EntityTag] = []
    scanner.skipListSeparators()
    while !scanner.isAtEnd {
      guard let tag = Self.tag(&scanner) else { break }
      if !tag.isQuoted, tag.opaque == "*" {
        self = .any
        return
      }
      tags.append(tag)
      scanner.skipListSeparators()
    }
    self = .tags(tags)
  }

  /// Returns whether a tag is included, by weak comparison: the rule of If-None-Match.
  public func weaklyContains(_ tag: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains { $0.weaklyMatches(tag) }
    }
  }

  /// Returns whether a tag is included, by strong comparison: the rule of If-Match.
  public func stronglyContains(_ tag: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains { $0.stronglyMatches(tag) }
    }
  }

  /// The list as written in a field.
  public var description: String {
    switch self {
    case .any: "*"
    case .tags(let tags): tags.map(\.description).joined(separator: ", ")
    }
  }

  /// Reads one element: up to its closing quote, or up to the comma after a legacy tag.
  private static func tag(_ scanner: inout FieldScanner) -> EntityTag? {
    var text = Array(scanner.bytes { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") })
    if text.isEmpty || text == Array("W/".utf8), scanner.skip("\"") {
      text.append(UInt8(ascii: "\""))
      text += scanner.bytes { $0 == UInt8(ascii: "\"") }
      guard scanner.skip("\"") else { return nil }
      text.append(UInt8(ascii: "\""))
    } else {
      text += scanner.bytes { $0 == UInt8(ascii: ",") }
    }
    return EntityTag(parsing: text)
  }
}
