import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Serving

private struct DenyingAuthorizer: WebSocketAuthorizer {
  var messageLimit: Int { 1_024 }
  func open(_ request: HTTPRequest) async -> WebSocketAcceptance? { nil }
}

@Suite struct `A request that is not upgraded` {
  private static let handshake = """
    GET / HTTP/1.1\r
    Host: h\r
    Connection: Upgrade\r
    Upgrade: websocket\r
    Sec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    \r

    """

  @Test func `is marked if its handshake was refused, and only then`() async throws {
    let channel = NIOAsyncTestingChannel()
    try await channel.testingEventLoop.executeInContext {
      let decoder = RequestDecoder(ServerLimits())
      let filter = UpgradeFilter(
        authorizer: DenyingAuthorizer(),
        limits: ServerLimits(),
        metrics: ConnectionMetrics(),
        decoder: decoder
      )
      try channel.pipeline.syncOperations.addHandlers(ByteToMessageHandler(decoder), filter)
    }
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
    var marks: [[String]] = []
    // The second one is as sound, and comes too late to be asked about.
    for _ in 0..<2 {
      try await channel.writeInbound(ByteBuffer(string: Self.handshake))
      let part = try await channel.waitForInboundWrite(as: HTTPServerRequestPart.self)
      guard case .head(let head) = part,
        case .end = try await channel.waitForInboundWrite(as: HTTPServerRequestPart.self)
      else {
        Issue.record("not a request")
        return
      }
      #expect(!head.headers.contains(name: "Upgrade"))
      marks.append(head.headers[RefusedHandshake.field])
    }
    #expect(marks == [["1"], []])
    _ = try? await channel.finish()
  }

  @Test func `tells its mark to its endpoint`() throws {
    var request = HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/")
    #expect(!RefusedHandshake.isMarked(request))
    request.headerFields[try #require(HTTPField.Name(RefusedHandshake.field))] = "1"
    #expect(RefusedHandshake.isMarked(request))
  }
}

@Suite struct `A connection before its first request` {
  private let limits = ServerLimits()
  private let metrics = ConnectionMetrics()

  private func channel() throws -> EmbeddedChannel {
    let filter = UpgradeFilter(
      authorizer: DenyingAuthorizer(),
      limits: limits,
      metrics: metrics,
      decoder: RequestDecoder(limits)
    )
    let channel = EmbeddedChannel(handler: filter)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  private func ask(_ channel: EmbeddedChannel) throws {
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
    _ = try channel.writeInbound(HTTPServerRequestPart.head(head))
  }

  @Test func `is closed when it is silent for too long`() throws {
    let channel = try channel()
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.idleSeconds) - 1))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    #expect(metrics.count(.noRequest) == 1)
  }

  @Test func `is told that what it sends is not a request`() throws {
    let channel = try channel()
    channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
    guard case .head(let head)? = try channel.readOutbound(as: HTTPServerResponsePart.self) else {
      Issue.record("no answer")
      return
    }
    #expect(head.status == .badRequest)
    #expect(head.headers["Connection"] == ["close"])
  }

  @Test func `is closed when the server ends`() throws {
    let channel = try channel()
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    #expect(!channel.isActive)
  }

  @Test func `is left to others behind its first request`() throws {
    let channel = try channel()
    try ask(channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.idleSeconds) * 2))
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    #expect(channel.isActive)
    _ = try? channel.finish()
  }
}
