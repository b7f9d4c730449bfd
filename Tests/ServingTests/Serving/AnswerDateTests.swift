import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Serving

@Suite struct `Dates of answers` {
  private static let wrong = "Thu, 01 Jan 1970 00:00:00 GMT"

  private func channel() -> EmbeddedChannel {
    let clock = ServiceClock(startingAt: 1_795_503_600)
    return EmbeddedChannel(handler: AnswerDate(clock: clock, present: ["/v1/git/"]))
  }

  private func ask(_ channel: EmbeddedChannel, _ path: String) throws {
    let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: path)
    try channel.writeInbound(HTTPRequestPart.head(request))
    try channel.writeInbound(HTTPRequestPart.end(nil))
  }

  private func date(_ channel: EmbeddedChannel, _ status: HTTPResponse.Status) throws -> String? {
    let head = HTTPResponse(status: status, headerFields: [.date: Self.wrong])
    try channel.writeOutbound(HTTPResponsePart.head(head))
    guard case .head(let written) = try channel.readOutbound(as: HTTPResponsePart.self) else {
      return nil
    }
    return written.headerFields[.date]
  }

  @Test(arguments: [HTTPResponse.Status.ok, .noContent, .notModified, .badRequest])
  func `an answer is dated by the service clock`(_ status: HTTPResponse.Status) throws {
    let channel = channel()
    try ask(channel, "/api/stationboard?stop_id=a")
    #expect(try date(channel, status)?.hasPrefix("Tue, 24 Nov 2026 07:00:0") == true)
  }

  @Test func `an answer that no request was read for is dated too`() throws {
    #expect(try date(channel(), .badRequest)?.hasPrefix("Tue, 24 Nov 2026") == true)
  }

  @Test func `what is of the present keeps its date, each answer by its own request`() throws {
    let channel = channel()
    for path in ["/v1/git/worktrees", "/", "/v1/git/worktrees"] { try ask(channel, path) }
    // An interim response (1xx) is not the response.
    #expect(try date(channel, .continue) == Self.wrong)
    #expect(try date(channel, .ok) == Self.wrong)
    #expect(try date(channel, .ok)?.hasPrefix("Tue, 24 Nov 2026") == true)
    #expect(try date(channel, .ok) == Self.wrong)
  }
}
