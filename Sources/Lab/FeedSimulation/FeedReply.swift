import ConditionalHTTP
package import GTFSRealtime
package import HTTPTypes

/// The HTTP response of a producer: status and fields, and whether content is included.
package struct FeedReply: Hashable, Sendable {
  /// Status and fields.
  package let head: HTTPResponse
  /// Whether content is included; it is omitted if the client has it already.
  package let hasContent: Bool

  /// The name of the field with the fault of a response, for tests.
  package static let faultField = "x-freshet-fault"
  /// The body of a response that is not a publication.
  package static let refusal = "The simulated producer is in trouble.\n"

  /// Creates the response to a request.
  ///
  /// - Parameters:
  ///   - answer: The producer's response.
  ///   - digest: The digest of its content.
  ///   - contentType: The media type of the content.
  ///   - request: The fields of the request.
  ///   - instant: When it is sent, in milliseconds since 1970-01-01T00:00:00Z.
  package init(
    _ answer: FeedAnswer,
    digest: FeedDigest,
    contentType: String,
    request: HTTPFields,
    at instant: Int64
  ) {
    var head = HTTPResponse(status: .init(code: answer.status))
    if let name = HTTPField.Name(Self.faultField), let fault = answer.fault {
      head.headerFields[name] = fault.kind.rawValue
    }
    guard answer.status == 200 else {
      head.headerFields[.cacheControl] = "no-store"
      head.headerFields[.contentType] = "text/plain; charset=utf-8"
      if let seconds = answer.retryAfter { head.headerFields[.retryAfter] = String(seconds) }
      self.head = head
      hasContent = true
      return
    }
    let tag = EntityTag("\(digest)")
    let date = HTTPDate(secondsSince1970: answer.tick.sourceTime)
    head.headerFields[.eTag] = tag.description
    head.headerFields[.lastModified] = date.description
    let rest = max(0, answer.nextInstant - instant)
    head.headerFields[.cacheControl] = "public, max-age=\((rest + 999) / 1_000)"
    hasContent = !Self.isCurrent(request, tag, date, at: instant)
    if hasContent {
      head.headerFields[.contentType] = contentType
    } else {
      head.status = .notModified
    }
    self.head = head
  }

  /// Returns whether the client has the publication already (RFC 9110 sections 13.1.2 and 13.1.3).
  private static func isCurrent(
    _ request: HTTPFields,
    _ tag: EntityTag,
    _ date: HTTPDate,
    at instant: Int64
  ) -> Bool {
    if let known = request[.ifNoneMatch] { return tag.matches(ifNoneMatch: known) }
    guard let field = request[.ifModifiedSince],
      let since = HTTPDate(parsing: field, now: instant / 1_000)
    else { return false }
    return date <= since
  }
}
