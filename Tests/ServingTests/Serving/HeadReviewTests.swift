import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Serving

/// What RFC 9112 says of versions, targets and framing, as a table.
@Suite struct `Heads of requests and answers` {
  /// What came behind the review, and whether the answer was said to be the last one.
  private final class Behind: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    var heads: [HTTPRequestHead] = []
    var isLast = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if case .head(let head) = unwrapInboundIn(data) { heads.append(head) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event is LastAnswer { isLast = true }
    }
  }

  private struct Outcome {
    var request: HTTPRequestHead
    var answer: HTTPResponseHead
    var isLast: Bool
  }

  private func exchange(
    _ version: HTTPVersion,
    _ method: HTTPMethod = .GET,
    _ target: String = "/",
    fields: HTTPHeaders = ["Host": "a"],
    status: HTTPResponseStatus = .ok,
    answer: HTTPHeaders = ["Content-Length": "0"]
  ) throws -> Outcome {
    let behind = Behind()
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([HeadReview(), behind])
    let head = HTTPRequestHead(version: version, method: method, uri: target, headers: fields)
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    let response = HTTPResponseHead(version: .http1_1, status: status, headers: answer)
    try channel.writeOutbound(HTTPServerResponsePart.head(response))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    guard case .head(let sent)? = try channel.readOutbound(as: HTTPServerResponsePart.self) else {
      throw ChannelError.eof
    }
    return Outcome(request: try #require(behind.heads.first), answer: sent, isLast: behind.isLast)
  }

  // MARK: HTTP/1.0 (RFC 9112, sections 6.1, 9.3 and appendix C.2.2)

  /// A case: the fields of the request, those of the response, its status; whether the connection stays open.
  struct Old: Sendable, CustomTestStringConvertible {
    var connection: String?
    var method = HTTPMethod.GET
    var status = HTTPResponseStatus.ok
    var length: String?
    var says: String?
    var persists: Bool

    var testDescription: String {
      "\(method) \(connection ?? "-") \(status.code) \(length ?? "-") \(says ?? "-")"
    }
  }

  @Test(arguments: [
    Old(connection: nil, length: "5", persists: false),
    Old(connection: "close", length: "5", persists: false),
    Old(connection: "keep-alive", length: "5", persists: true),
    Old(connection: "Keep-Alive", length: "5", persists: true),
    Old(connection: "TE, keep-alive", length: "5", persists: true),
    Old(connection: "keep-alive, close", length: "5", persists: false),
    Old(connection: "keep-alive", length: nil, persists: false),
    Old(connection: "keep-alive", length: "5", says: "close", persists: false),
    Old(connection: "keep-alive", method: .HEAD, length: nil, persists: true),
    Old(connection: "keep-alive", status: .notModified, length: nil, persists: true),
    Old(connection: "keep-alive", status: .noContent, length: nil, persists: true),
    Old(connection: nil, status: .notModified, length: nil, persists: false),
  ])
  func `HTTP 1.0 goes on only when both sides say so, and has no chunks`(_ old: Old) throws {
    var fields: HTTPHeaders = ["Host": "a"]
    if let connection = old.connection { fields.add(name: "Connection", value: connection) }
    var answer = HTTPHeaders()
    if let length = old.length { answer.add(name: "Content-Length", value: length) }
    if let says = old.says { answer.add(name: "Connection", value: says) }
    let outcome = try exchange(
      .http1_0,
      old.method,
      fields: fields,
      status: old.status,
      answer: answer
    )
    // The encoder sends answers of HTTP/1.0 without chunks, and none that has a length with them.
    let isFramed = old.length != nil || !old.status.mayHaveResponseBody
    #expect(outcome.answer.version == (isFramed ? .http1_1 : .http1_0))
    #expect(outcome.answer.headers["Connection"] == [old.persists ? "keep-alive" : "close"])
    #expect(outcome.isLast == !old.persists)
    let connection = outcome.request.headers[canonicalForm: "Connection"]
    if old.connection == nil { #expect(connection == ["close"]) }
  }

  @Test func `HTTP 1.1 is left as it is`() throws {
    let outcome = try exchange(.http1_1, answer: [:])
    #expect(outcome.answer.version == .http1_1)
    #expect(outcome.answer.headers.isEmpty)
    #expect(!outcome.isLast)
    #expect(outcome.request.headers["Connection"].isEmpty)
  }

  @Test func `HTTP 1.0 with a transfer coding, and one that waits`() throws {
    let fields: HTTPHeaders = [
      "Host": "a", "Transfer-Encoding": "chunked", "Expect": "100-continue",
      "Connection": "keep-alive",
    ]
    let outcome = try exchange(.http1_0, .POST, fields: fields)
    #expect(outcome.request.headers["Transfer-Encoding"] == [TransferCoding.faulty])
    #expect(outcome.request.headers["Expect"].isEmpty)
  }

  @Test func `an answer of 1xx says nothing of the connection`() throws {
    let outcome = try exchange(.http1_0, status: .continue, answer: [:])
    #expect(outcome.answer.headers.isEmpty)
    #expect(!outcome.isLast)
  }

  // MARK: Host and target (section 3.2)

  @Test(arguments: [
    ("/a?b", "host", "/a?b", "host"), ("http://other/a?b", "host", "/a?b", "other"),
    ("HTTPS://other:1/", "host", "/", "other:1"), ("http://other", "host", "/", "other"),
    ("http://other?q", "host", "/?q", "other"), ("http:///a", "host", "/a", ""),
    ("http://me@other/", "host", "/", "me@other"),
    ("ftp://other/a", "host", "ftp://other/a", "host"),
    ("/http://other/", "host", "/http://other/", "host"), ("*", "host", "*", "host"),
  ])
  func `the authority of an absolute target is the host`(
    _ target: String,
    _ host: String,
    _ path: String,
    _ expected: String
  ) throws {
    let outcome = try exchange(.http1_1, .GET, target, fields: ["Host": host])
    #expect(outcome.request.uri == path)
    #expect(outcome.request.headers["Host"] == [expected])
  }

  @Test func `an absolute target makes up for no field`() throws {
    let none = try exchange(.http1_1, .GET, "http://other/", fields: [:])
    #expect(none.request.headers["Host"] == [HostField.missing])
    let two = try exchange(.http1_1, .GET, "http://other/", fields: ["Host": "a", "host": "b"])
    #expect(two.request.headers["Host"].count == 2)
    let old = try exchange(.http1_0, .GET, "http://other/", fields: [:])
    #expect(old.request.headers["Host"] == ["other"])
  }

  // MARK: Invalid requests

  @Test func `the answer to bytes that are not a request says so`() throws {
    let channel = EmbeddedChannel(handler: HeadReview())
    let head = HTTPResponseHead(
      version: .http1_1,
      status: .badRequest,
      headers: ["Connection": "close", "Content-Length": "0"]
    )
    try channel.writeOutbound(HTTPServerResponsePart.head(head))
    try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    guard case .head(let sent)? = try channel.readOutbound(as: HTTPServerResponsePart.self),
      case .body(.byteBuffer(let body))? = try channel.readOutbound(as: HTTPServerResponsePart.self)
    else {
      Issue.record("no content")
      return
    }
    #expect(sent.headers["Content-Type"] == ["application/problem+json"])
    #expect(sent.headers["Connection"] == ["close"])
    #expect(sent.headers["Content-Length"] == [String(body.readableBytes)])
    #expect(String(buffer: body).contains("\"bad_request\""))
  }
}
