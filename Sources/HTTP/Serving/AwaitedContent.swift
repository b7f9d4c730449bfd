import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The content of a request, whose faults are those of its client: a chunk that is not one, or a connection that ends
/// too early, is answered with 400, and the connection ends.
///
/// A client may wait for 100 (Continue) before it sends the content (RFC 9110, section 10.1.1). Whoever begins to read
/// sends it. If an answer comes before that, the content does not come.
struct AwaitedContent: AsyncSequence, Sendable {
  /// What a client expects that waits.
  static let expectation = "100-continue"

  let content: RequestBody
  /// Where 100 (Continue) is sent; `nil` if nobody waits for it.
  let channel: (any Channel)?

  /// A request as it is if it has no content, or with such a content.
  static func request(_ request: Request, on channel: any Channel) -> Request {
    let isAwaited = request.headers[.expect]?.lowercased() == expectation
    guard isAwaited || hasContent(request.headers) else { return request }
    var request = request
    request.body = RequestBody(
      asyncSequence: AwaitedContent(content: request.body, channel: isAwaited ? channel : nil)
    )
    return request
  }

  private static func hasContent(_ fields: HTTPFields) -> Bool {
    fields.contains(.transferEncoding) || fields[.contentLength].map { $0 != "0" } ?? false
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
        return try await content.next()
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
