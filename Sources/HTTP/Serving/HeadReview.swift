import HTTPTypes
import NIOCore
import NIOHTTP1

/// Reviews the heads of requests and answers while the version of HTTP is still known (RFC 9112).
///
/// Requests:
/// 1. One of HTTP/1.1 without `Host` gets an invalid one, so that it is refused with all other invalid ones.
/// 2. The authority of a target in absolute form takes the place of `Host` (section 3.2.2).
/// 3. One of HTTP/1.0 cannot wait for a 100 (RFC 9110, section 10.1.1). With `Transfer-Encoding` its framing is faulty
///    (section 6.1): the field gets an invalid value, so that the request is refused. Without `keep-alive` it is the last
///    one of its connection (section 9.3).
///
/// Responses to HTTP/1.0 have no chunks (section 6.1). They say whether the connection stays open, which it does not
/// after a response whose length only its end shows.
///
/// An answer without a request is the one to bytes that are not a request; it gets its problem details here.
final class HeadReview: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// What its answer has to know of a request.
  private struct Asked {
    var isOld: Bool
    var isHead: Bool
    /// Whether the client wants to keep the connection open.
    var persists: Bool
  }

  /// The requests that wait for their answers, the first one first.
  private var requests: [Asked] = []

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    Self.resolveTarget(&head)
    let isOld = Self.isOld(head.version)
    let options = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    let persists = options.contains("keep-alive") && !options.contains("close")
    requests.append(Asked(isOld: isOld, isHead: head.method == .HEAD, persists: persists))
    if isOld {
      head.headers.remove(name: "Expect")
      if head.headers.contains(name: "Transfer-Encoding") {
        head.headers.replaceOrAdd(name: "Transfer-Encoding", value: TransferCoding.faulty)
      }
      if !persists { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    } else if !head.headers.contains(name: "Host") {
      head.headers.add(name: "Host", value: HostField.missing)
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  private static func isOld(_ version: HTTPVersion) -> Bool {
    version.major < 1 || version.major == 1 && version.minor < 1
  }

  /// Makes a target in absolute form one in origin form.
  ///
  /// Nothing else of the request names another host then.
  private static func resolveTarget(_ head: inout HTTPRequestHead) {
    guard let target = AbsoluteTarget(head.uri) else { return }
    head.uri = target.path
    // Two fields stay two, and none stays none: both are refused.
    guard head.headers["Host"].count == 1 || isOld(head.version) else { return }
    head.headers.replaceOrAdd(name: "Host", value: target.authority)
  }

  // MARK: Answers

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where requests.isEmpty && head.status == .badRequest:
      for (name, value) in MalformedRequest.headers {
        head.headers.replaceOrAdd(name: name, value: value)
      }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
      context.write(wrapOutboundOut(.body(.byteBuffer(MalformedRequest.content))), promise: nil)
    case .head(var head):
      if let request = requests.first, request.isOld, head.status.code >= 200 {
        applyHead(&head, request, context)
      }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body:
      context.write(data, promise: promise)
    case .end:
      if !requests.isEmpty { requests.removeFirst() }
      context.write(data, promise: promise)
    }
  }

  private func applyHead(
    _ head: inout HTTPResponseHead,
    _ request: Asked,
    _ context: ChannelHandlerContext
  ) {
    let isFramed =
      !head.status.mayHaveResponseBody || head.headers.contains(name: "Content-Length")
    // The encoder sends content of unknown length in chunks, but not in an answer of this version.
    if !isFramed { head.version = .http1_0 }
    let hasEnd = isFramed || request.isHead
    let closes = head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
    if request.persists, hasEnd, !closes {
      head.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
    } else {
      head.headers.replaceOrAdd(name: "Connection", value: "close")
      context.fireUserInboundEventTriggered(LastAnswer())
    }
  }
}

/// The answer in progress is the last one of its connection.
struct LastAnswer: Sendable {}

/// The target of a request in absolute form (RFC 9112, section 3.2.2), of HTTP.
struct AbsoluteTarget: Hashable {
  /// Host and perhaps port; not checked.
  let authority: String
  /// Path and query.
  let path: String

  /// Reads a target.
  ///
  /// - Parameter target: The target as it came; `nil` if it is in another form.
  init?(_ target: String) {
    // Nearly all are paths, which need no search.
    guard target.utf8.first != UInt8(ascii: "/"),
      let schemeEnd = target.firstRange(of: "://")?.lowerBound,
      ["http", "https"].contains(target[..<schemeEnd].lowercased())
    else { return nil }
    let rest = target[schemeEnd...].dropFirst(3)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    authority = String(rest[..<end])
    let tail = rest[end...]
    path = tail.hasPrefix("/") ? String(tail) : "/" + tail
  }
}

/// The answer to bytes that are not a request.
enum MalformedRequest {
  private static let problem = Problem(
    .badRequest,
    "bad_request",
    detail: "the request is not valid HTTP/1.1, or its head is too large"
  )
  .last

  /// The content: problem details.
  static let content = problem.content

  /// The header fields: the connection ends.
  static var headers: HTTPHeaders {
    [
      "Connection": "close", "Content-Type": "application/problem+json",
      "Cache-Control": "no-store", "Content-Length": String(content.readableBytes),
    ]
  }
}
