public import HTTPTypes

/// The fields that make a request conditional or unconditional (RFC 9110 section 13).
///
/// ```swift
/// var request = HTTPRequest(method: .get, scheme: "https", authority: "example.org", path: "/")
/// let known = Validators(entityTag: EntityTag("r41"))
/// ConditionalRequest(validators: known, wait: 25).apply(to: &request.headerFields)
/// // If-None-Match: "r41"
/// // Prefer: wait=25
/// ```
public struct ConditionalRequest: Hashable, Sendable {
  /// The validators of the snapshot; `nil` makes the request unconditional.
  public var validators: Validators?
  /// Whether caches must not store the response (RFC 9111 section 5.2.1.5).
  public var isNoStore: Bool
  /// Whether caches must ask the origin (RFC 9111 section 5.2.1.4).
  public var isNoCache: Bool
  /// How long the server may hold the response until something changes, in seconds (RFC 7240
  /// section 4.3).
  ///
  /// Sent with conditional requests only: without a snapshot there is nothing to wait for.
  public var wait: Int64?

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - validators: The validators of the snapshot; `nil` makes the request unconditional.
  ///   - isNoStore: Whether caches must not store the response.
  ///   - isNoCache: Whether caches must ask the origin.
  ///   - wait: How long the server may hold the response, in seconds.
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

  /// Whether the server may respond with 304.
  public var isConditional: Bool { validators?.isEmpty == false }

  /// The fields by themselves.
  public var fields: HTTPFields {
    var fields = HTTPFields()
    apply(to: &fields)
    return fields
  }

  /// Adds the fields to a request.
  ///
  /// Existing conditions are removed, whatever their source. Existing directives and preferences
  /// are kept.
  public func apply(to fields: inout HTTPFields) {
    for name in Self.conditions { fields[fields: name] = [] }
    if let tag = validators?.entityTag {
      // Bytes, not text: a tag that is not UTF-8 is sent back as received.
      fields.append(HTTPField(name: .ifNoneMatch, lenientValue: tag.fieldValue))
    }
    if let date = validators?.lastModified {
      // RFC 9110 section 8.8.4: both, if the server sent both.
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
