public import HTTPTypes

/// The fields that make a request conditional, or plainly unconditional (RFC 9110 section 13).
///
/// ```swift
/// var request = HTTPRequest(method: .get, scheme: "https", authority: "example.org", path: "/")
/// let known = Validators(entityTag: EntityTag("r41"))
/// ConditionalRequest(validators: known, wait: 25).apply(to: &request.headerFields)
/// // If-None-Match: "r41"
/// // Prefer: wait=25
/// ```
public struct ConditionalRequest: Hashable, Sendable {
  /// What came with the snapshot; nothing asks unconditionally.
  public var validators: Validators?
  /// Whether caches on the way are told to store nothing (RFC 9111 section 5.2.1.5).
  public var isNoStore: Bool
  /// Whether caches on the way are told to ask the origin (RFC 9111 section 5.2.1.4).
  public var isNoCache: Bool
  /// How long the server may hold the answer back until something changes, seconds (RFC 7240
  /// section 4.3).
  ///
  /// It is sent with conditional requests only: nobody without a snapshot wants to wait for one.
  public var wait: Int64?

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - validators: What came with the snapshot; nothing asks unconditionally.
  ///   - isNoStore: Whether caches on the way are told to store nothing.
  ///   - isNoCache: Whether caches on the way are told to ask the origin.
  ///   - wait: How long the server may hold the answer back, seconds.
  public init(
    validators: Validators? = nil,
    isNoStore: Bool = false,
    isNoCache: Bool = false,
    wait: Int64? = nil
  ) {
    self.validators = validators
    self.isNoStore = isNoStore
    self.isNoCache = isNoCache
    self.wait = wait
  }

  /// Whether the server may answer 304.
  public var isConditional: Bool { validators?.isEmpty == false }

  /// The fields alone.
  public var fields: HTTPFields {
    var fields = HTTPFields()
    apply(to: &fields)
    return fields
  }

  /// Puts the fields into a request.
  ///
  /// Conditions that are there already are removed, whoever put them there. Directives and
  /// preferences that are there stay beside ours.
  public func apply(to fields: inout HTTPFields) {
    for name in Self.conditions { fields[fields: name] = [] }
    if let tag = validators?.entityTag {
      // Bytes, not text: a tag that is not UTF-8 goes back as it came.
      fields.append(HTTPField(name: .ifNoneMatch, lenientValue: tag.fieldValue))
    }
    if let date = validators?.lastModified {
      // RFC 9110 section 8.8.4: both, if the server gave both.
      fields[.ifModifiedSince] = date
    }
    if isNoStore || isNoCache {
      var cacheControl = CacheControl(fields: fields)
      if isNoStore { cacheControl.isNoStore = true }
      if isNoCache { cacheControl.isNoCache = true }
      fields[.cacheControl] = cacheControl.description
    }
    if let wait, isConditional {
      var prefer = Prefer(fields: fields)
      prefer.wait = wait
      fields[.prefer] = prefer.description
    }
  }

  private static let conditions: [HTTPField.Name] = [
    .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange,
  ]
}
