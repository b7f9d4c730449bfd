import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The content of a request.
///
/// Content that the client breaks (a malformed chunk, or a connection that ends early) is answered with 400, and the
/// connection is closed.
///
/// A client may wait for 100 (Continue) before it sends the content (RFC 9110, section 10.1.1). The first read sends
/// it. If the response comes first, the content is never sent.
struct AwaitedContent: AsyncSequence, Sendable {
  /// The expectation of a client that waits for 100 (Continue).
  static let expectation = "100-continue"

  let content: RequestBody
  /// Where to send 100 (Continue); `nil` if the client does not wait for it.
  let channel: (any Channel)?

  /// Returns a request with its content wrapped, or the request itself if it has no content.
  static func request(_ request: Request, on channel: any Channel) -> Request {
    let isAwaited = request.headers[.expect]?.lowercased() == expectation
    guard isAwaited || hasContent(request) else { return request }
    var request = request
    request.body = RequestBody(
      asyncSequence: AwaitedContent(content: request.body, channel: isAwaited ? channel : nil)
    )
    return request
  }

  /// Whether content may follow: in HTTP/2 no field has to say so.
  static func hasContent(_ request: Request) -> Bool {
    let fields = request.headers
    return fields.contains(.transferEncoding) || fields[.contentLength].map { $0 != "0" } ?? false
      || ![.get, .head, .options].contains(request.method)
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(content: content.makeAsyncIterator(), channel: channel)
  }

  struct Iterator: AsyncIteratorProtocol {
    var content: RequestBody.AsyncIterator
    var channel: (any Channel)?

    @concurrent
    mutating func next() async throws -> ByteBuffer? {
      if let channel {
        self.channel = nil
        try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
      }
      do {
        // Others run while the client sends.
        let permit = AdmissionPermit.current
        permit?.release()
        let bytes = try await content.next()
        try await permit?.takeAgain()
        return bytes
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        throw Problem(
          .badRequest,
          "bad_request",
          detail: "the content of the request is broken, or ended too early: \(error)"
        )
        .last
      }
    }
  }
}
