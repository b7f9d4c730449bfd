public import HTTPTypes

/// The values with which a client asks a server "has it changed?" (RFC 9110 section 8.8).
///
/// Validators belong to the snapshot they came with and are sent back as received.
public struct Validators: Hashable, Sendable {
  /// The ETag field.
  public var entityTag: EntityTag?
  /// The value of the Last-Modified field, as received.
  public var lastModified: String?

  /// Creates validators.
  public init(entityTag: EntityTag? = nil, lastModified: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
  }

  /// Reads the ETag and Last-Modified fields of a response; of repeated fields the first counts.
  public init(fields: HTTPFields) {
    entityTag = fields[fields: .eTag].first.flatMap { field in
      field.withUnsafeBytesOfValue { EntityTag(parsing: Array($0)) }
    }
    let date = fields[values: .lastModified].first.map { FieldSyntax.trimmed($0) }
    lastModified = date?.isEmpty == true ? nil : date
  }

  /// Whether neither validator is present.
  public var isEmpty: Bool { entityTag == nil && lastModified == nil }

  /// Returns whether a 304 refers to the snapshot of these validators.
  ///
  /// Its tag must match by weak comparison. Without a tag its Last-Modified must be equal, if both
  /// have one. A 304 without validators refers to the only snapshot. RFC 9111 section 4.3.4
  /// requires strong comparison for a strong tag, for caches with several stored responses. Here
  /// the request named one tag, and servers that compress weaken the tag of a 200 but not that of
  /// its 304.
  ///
  /// - Parameter notModified: The fields of the 304.
  /// - Returns: Whether the snapshot is confirmed.
  public func areConfirmed(by notModified: HTTPFields) -> Bool {
    let confirmed = Validators(fields: notModified)
    if let tag = confirmed.entityTag {
      return entityTag?.weaklyMatches(tag) == true
    }
    guard let date = confirmed.lastModified, let lastModified else { return true }
    return date.utf8.elementsEqual(lastModified.utf8)
  }
}
