public import HTTPTypes

/// Sends one request and hands its answer over while it comes: what a client needs of a transport
/// for server-sent events.
///
/// A transport keeps no cache and sends no validators of its own.
public protocol HTTPStreaming: Sendable {
  /// Sends a request and gives every part of its answer to a receiver, in order.
  ///
  /// The receiver is waited for before more is read, so a slow receiver slows the sender down.
  /// Returns when the content has ended or the receiver has had enough; cancelling the task ends
  /// the connection too. Redirections are followed as ``HTTPTypes/HTTPRequest/following(_:)`` says;
  /// the receiver sees the last answer only.
  ///
  /// - Parameters:
  ///   - request: Method, scheme, authority, path and fields.
  ///   - timeout: The longest wait for the head of the answer. The content may take any time: its
  ///     silence is for the caller to judge.
  ///   - receive: Takes one part and says whether more is wanted.
  /// - Throws: ``HTTPExchangeError`` if there is no answer, or if it breaks off.
  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError)
}

/// A part of an answer that comes bit by bit.
public enum HTTPStreamPart: Sendable {
  /// Status and fields; first, and once.
  case head(HTTPResponse)
  /// Some bytes of the content, never none.
  case content([UInt8])
}

/// What a receiver wants next.
public enum HTTPStreamDemand: Sendable {
  /// The next part.
  case more
  /// Nothing; the connection is closed.
  case enough
}

/// The limits every transport keeps.
public enum HTTPTransferLimits: Sendable {
  /// The largest content that is handed over whole, in bytes, after decompression.
  public static let answerBytes = 64 << 20
  /// The largest head of an answer, in bytes, where the platform lets it be counted.
  public static let headBytes = 256 << 10
  /// How many bytes of a stream may wait for its receiver where a transport cannot make the sender
  /// wait instead.
  public static let waitingBytes = 4 << 20
  /// The most redirections that are followed for one request.
  public static let redirections = 5
}

extension HTTPRequest {
  /// The request that follows a redirection (RFC 9110 section 15.4), if it is to be followed.
  ///
  /// GET and HEAD follow 301, 302, 303, 307 and 308 with one Location, and stay what they are.
  /// Fields stay too, conditions among them, because a validator belongs to the representation at
  /// the end of the chain. Once the origin changes, to another port or scheme too, only fields stay
  /// that say what kind of answer is wanted: credentials, and every field of an application, are
  /// dropped for good, because they were given for the first origin. Nothing leads from `https` to `http`, to another scheme, or to an address
  /// with a user and password in it.
  ///
  /// - Parameter answer: The answer to this request.
  /// - Returns: The next request, or nothing if the answer is the last one.
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
  /// The fields that may be sent to an origin that a redirection chose.
  private static let anywhere: Set<HTTPField.Name> = [
    .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .ifMatch, .ifModifiedSince,
    .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .lastEventID, .prefer, .range, .userAgent,
  ]
}

/// Where a Location leads: a reference resolved against a request (RFC 3986 section 5.2).
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

  /// Scheme, host and port, spelled in one way.
  static func origin(_ scheme: String, _ authority: String) -> String {
    let port = scheme == "https" ? ":443" : ":80"
    let place = authority.lowercased()
    return scheme + "://" + (place.hasSuffix(port) ? String(place.dropLast(port.count)) : place)
  }

  /// Percent-encodes what may not stand in an address.
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

  /// Resolves `.` and `..` (RFC 3986 section 5.2.4); a query stays as it is.
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
