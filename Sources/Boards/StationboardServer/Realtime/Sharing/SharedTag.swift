import ConditionalHTTP

/// An entity tag with the position of the publication that the answer is of, while servers share realtime: `"1k2j.5f"`.
///
/// Answers that look the same have the same first part, whichever server gives them, and it alone is compared. The second
/// part says how far the server was: another one that is not there yet waits for it.
struct SharedTag: Hashable, Sendable {
  /// The tag without the position, with its quotes.
  let plain: String
  /// The position.
  let position: Int64?

  /// Reads a tag as it was given.
  init(_ tag: EntityTag) {
    guard tag.isQuoted, let dot = tag.opaque.lastIndex(of: "."),
      let position = Int64(tag.opaque[tag.opaque.index(after: dot)...], radix: 36), position > 0
    else {
      plain = tag.isQuoted ? "\"\(tag.opaque)\"" : tag.opaque
      self.position = nil
      return
    }
    plain = "\"\(tag.opaque[..<dot])\""
    self.position = position
  }

  /// Adds a position to a tag.
  ///
  /// - Parameters:
  ///   - plain: The tag, with its quotes.
  ///   - position: The position; `nil` if no server shares anything.
  /// - Returns: The tag to give.
  static func tag(_ plain: String, at position: Int64?) -> String {
    guard let position else { return plain }
    return "\(plain.dropLast()).\(String(position, radix: 36))\""
  }

  /// The tags of `If-None-Match`; none for `*`.
  static func tags(ifNoneMatch field: String) -> [(given: EntityTag, shared: SharedTag)] {
    guard case .tags(let tags) = EntityTagList(parsing: field) else { return [] }
    return tags.map { ($0, SharedTag($0)) }
  }
}
