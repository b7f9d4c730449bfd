public import HTTPTypes

/// What a server gave a client to ask "has it changed?" with (RFC 9110 section 8.8).
///
/// Validators belong to the snapshot they came with and go back as they came.
public struct Validators: Hashable, Sendable {
  /// The ETag field.
  public var entityTag: EntityTag?
  /// The value of the Last-Modified field, as it stood there.
  public var lastModified: String?

  /// Creates validators.
  public init(entityTag: EntityTag? = nil, lastModified: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
  }

  /// Reads the ETag and Last-Modified fields of an answer; of several of a kind the first counts.
  public init(fields: HTTPFields) {
    entityTag = fields[fields: .eTag].first.flatMap { field in
      field.withUnsafeBytesOfValue { EntityTag(parsing: Array($0)) }
    }
    let date = fields[values: .lastModified].first.map { FieldSyntax.trimmed($0) }
    lastModified = date?.isEmpty == true ? nil : date
  }

  /// Whether there is nothing to ask with.
  public var isEmpty: Bool { entityTag == nil && lastModified == nil }

  /// Whether a 304 speaks of the snapshot these validators came with.
  ///
  /// Its tag has to be the same by weak comparison; without a tag its Last-Modified has to be the
  /// same, if both have one; a 304 without validators speaks of the one snapshot there is.
  /// RFC 9111 section 4.3.4 wants a strong tag to meet a strong one. That is for caches with
  /// several answers to choose from: here the request named one tag, and servers that compress
  /// weaken the tag of a 200 but not that of its 304.
  ///
  /// - Parameter notModified: The fields of the 304.
  /// - Returns: Whether the snapshot is the one that is confirmed.
  public func areConfirmed(by notModified: HTTPFields) -> Bool {
    let confirmed = Validators(fields: notModified)
    if let tag = confirmed.entityTag {
      return entityTag?.weaklyMatches(tag) == true
    }
    guard let date = confirmed.lastModified, let lastModified else { return true }
    return date.utf8.elementsEqual(lastModified.utf8)
  }
}
