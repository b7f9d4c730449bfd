public import HTTPTypes

/// Sends requests and passes on responses as they arrive: what a client needs of a transport for
/// server-sent events.
///
/// A transport has no cache and adds no validators.
public protocol HTTPStreaming: Sendable {
  /// Sends a request and passes every part of its response to a receiver, in order.
  ///
  /// The receiver is awaited before more is read, so a slow receiver slows the sender down. Returns
  /// when the content has ended or the receiver has enough; canceling the task ends the connection
  /// too. Redirects are followed as described in ``HTTPTypes/HTTPRequest/following(_:)``; the
  /// receiver gets only the last response.
  ///
  /// - Parameters:
  ///   - request: The method, scheme, authority, path and fields.
  ///   - timeout: The time limit for the response head. The content has no time limit: the caller
  ///     decides about silence.
  ///   - receive: Handles one part and returns whether more is wanted.
  /// - Throws: ``HTTPExchangeError`` if no response arrives, or if it ends early.
  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError)
}

extension HTTPRequest {
  /// The request without compression of its response, unless it says itself what it accepts: a compressed event would be
  /// delayed until its block is full.
  package var streamed: HTTPRequest {
    guard headerFields[.acceptEncoding] == nil else { return self }
    var request = self
    request.headerFields[.acceptEncoding] = "identity"
    return request
  }
}

/// A part of a streamed response.
public enum HTTPStreamPart: Sendable {
  /// The status and the fields; first, and once.
  case head(HTTPResponse)
  /// Some bytes of the content, never empty.
  case content([UInt8])
}

/// The receiver's demand.
public enum HTTPStreamDemand: Sendable {
  /// The next part.
  case more
  /// Nothing more; the connection is closed.
  case enough
}

/// The limits of every transport.
public enum HTTPTransferLimits: Sendable {
  /// The maximum size of complete content, in bytes, after decompression.
  public static let answerBytes = 64 << 20
  /// The maximum size of a response head, in bytes, where the platform allows counting.
  public static let headBytes = 256 << 10
  /// The maximum number of buffered bytes of a stream if a transport cannot make the sender wait.
  public static let waitingBytes = 4 << 20
  /// The maximum number of redirects that are followed for one request.
  public static let redirections = 5
  /// The maximum number of connections to one server, where the transport has such a limit.
  ///
  /// Far more than the requests of a client, which its engine limits: a stream occupies a connection
  /// over HTTP/1.1, and no request should wait for one.
  public static let connections = 64
}

extension HTTPRequest {
  /// Returns the request that follows a redirect (RFC 9110 section 15.4), if it should be followed.
  ///
  /// GET and HEAD follow 301, 302, 303, 307 and 308 with one Location, and keep their method.
  /// Fields are kept too, including conditions, because a validator belongs to the representation
  /// at the end of the chain. Once the origin changes, including its port or scheme, only fields
  /// that select the kind of response are kept. Credentials and all fields of an application are
  /// dropped for good, because they were meant for the first origin. Redirects from `https` to
  /// `http`, to another scheme, or to a URL with a user and password are not followed.
  ///
  /// - Parameter answer: The response to this request.
  /// - Returns: The next request, or `nil` if the response is the last one.
  public func following(_ answer: HTTPResponse) -> HTTPRequest? {
    let locations = answer.headerFields[values: .location]
    guard
      method == .get || method == .head, [301, 302, 303, 307, 308].contains(answer.status.code),
      locations.count == 1, let location = locations.first,
      let target = RedirectionTarget(location, from: self)
    else { return nil }
    let from = scheme?.lowercased()
    guard target.scheme == "https" || target.scheme == "http" && from == "http" else { return nil }
    var next = self
    next.scheme = target.scheme
    next.authority = target.authority
    next.path = target.path
    let home = RedirectionTarget.origin(from ?? "", authority ?? "")
    if RedirectionTarget.origin(target.scheme, target.authority) != home {
      next.headerFields = HTTPFields(headerFields.filter { Self.anywhere.contains($0.name) })
    }
    return next
  }
}

extension HTTPRequest {
  /// The fields that may be sent to an origin chosen by a redirect.
  private static let anywhere: Set<HTTPField.Name> = [
    .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .ifMatch, .ifModifiedSince,
    .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .lastEventID, .prefer, .range, .userAgent,
  ]
}

/// The target of a Location: a reference resolved against a request (RFC 3986 section 5.2).
private struct RedirectionTarget {
  var scheme: String
  var authority: String
  var path: String

  init?(_ location: String, from request: HTTPRequest) {
    guard let scheme = request.scheme?.lowercased(), let authority = request.authority else {
      return nil
    }
    var rest = Substring(Self.escaped(location))
    if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
    self.scheme = scheme
    self.authority = authority
    if let colon = rest.firstIndex(where: { ":/?".contains($0) }), rest[colon] == ":" {
      self.scheme = rest[..<colon].lowercased()
      rest = rest[rest.index(after: colon)...]
      guard rest.hasPrefix("//") else { return nil }
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      self.authority = String(rest[..<end])
      guard !self.authority.isEmpty, !self.authority.contains("@") else { return nil }
      rest = rest[end...]
      path = Self.withoutDots(rest.hasPrefix("/") ? rest : "/" + rest)
      return
    }
    let base = request.path ?? "/"
    let basePath = base.prefix { $0 != "?" }
    if rest.isEmpty {
      path = base
    } else if rest.hasPrefix("/") {
      path = Self.withoutDots(rest)
    } else if rest.hasPrefix("?") {
      path = String(basePath + rest)
    } else {
      let folder = basePath.lastIndex(of: "/").map { basePath[...$0] } ?? "/"
      path = Self.withoutDots(folder + rest)
    }
  }

  /// Returns the scheme, host and port in a canonical spelling.
  static func origin(_ scheme: String, _ authority: String) -> String {
    let port = scheme == "https" ? ":443" : ":80"
    let place = authority.lowercased()
    return scheme + "://" + (place.hasSuffix(port) ? String(place.dropLast(port.count)) : place)
  }

  /// Percent-encodes characters that are not allowed in a URL.
  private static func escaped(_ location: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var text = ""
    for byte in location.utf8 {
      if byte > 0x20, byte < 0x7F, !#""<>\^`{|}"#.utf8.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      }
    }
    return text
  }

  /// Resolves `.` and `..` (RFC 3986 section 5.2.4); a query is not changed.
  private static func withoutDots(_ reference: some StringProtocol) -> String {
    let path = reference.prefix { $0 != "?" }
    var parts: [Substring] = []
    let segments = Substring(path).split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.dropFirst().enumerated() {
      let isLast = index == segments.count - 2
      if segment == ".." { _ = parts.popLast() }
      if segment == "." || segment == ".." {
        if isLast { parts.append("") }
      } else {
        parts.append(segment)
      }
    }
    return "/" + parts.joined(separator: "/") + reference.dropFirst(path.count)
  }
}
