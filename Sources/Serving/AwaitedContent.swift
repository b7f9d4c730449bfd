import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The content of a request whose client waits for a word before it sends it (RFC 9110, section 10.1.1).
///
/// Whoever begins to read it sends 100 (Continue). An answer that comes before that is the word, and the content
/// does not come.
struct AwaitedContent: AsyncSequence, Sendable {
  /// The word that is waited for.
  static let expectation = "100-continue"

  let content: RequestBody
  let channel: any Channel

  /// A request as it is, or with such a content if its client waits.
  static func request(_ request: Request, on channel: any Channel) -> Request {
    guard request.headers[.expect]?.lowercased() == expectation else { return request }
    var request = request
    request.body = RequestBody(
      asyncSequence: AwaitedContent(content: request.body, channel: channel)
    )
    return request
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(content: content.makeAsyncIterator(), channel: channel)
  }

  struct Iterator: AsyncIteratorProtocol {
    var content: RequestBody.AsyncIterator
    let channel: any Channel
    private var isAsked = false

    init(content: RequestBody.AsyncIterator, channel: any Channel) {
      self.content = content
      self.channel = channel
    }

    @concurrent
    mutating func next() async throws -> ByteBuffer? {
      if !isAsked {
        isAsked = true
        try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
      }
      return try await content.next()
    }
  }
}
