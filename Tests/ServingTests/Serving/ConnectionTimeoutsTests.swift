import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Serving

@Suite struct `Connections that nothing else ends` {
  /// Takes no more than it is allowed to: what else is written waits.
  private final class Throat: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer
    var isFlushed = true
    var heads: [HTTPResponse] = []
    /// How often the side that sends was closed.
    var halves = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      let part = unwrapOutboundIn(data)
      if case .head(let head) = part { heads.append(head) }
      let buffer = if case .body(let bytes) = part { bytes } else { ByteBuffer(string: "x") }
      context.write(wrapOutboundOut(buffer), promise: promise)
    }

    func flush(context: ChannelHandlerContext) { if isFlushed { context.flush() } }

    /// The channel of the test knows no half that is closed.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      guard mode == .output else { return context.close(mode: mode, promise: promise) }
      halves += 1
      promise?.succeed()
    }
  }

  private let limits = ServerLimits()
  private let metrics = ConnectionMetrics()

  private func channel() throws -> (EmbeddedChannel, Throat) {
    let throat = Throat()
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([
      throat, ConnectionTimeouts(limits: limits, metrics: metrics),
    ])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return (channel, throat)
  }

  private func answer(_ channel: EmbeddedChannel, _ fields: HTTPFields = [:]) {
    channel.write(
      HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: fields)),
      promise: nil
    )
    channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
  }

  private func ask(_ channel: EmbeddedChannel, _ fields: HTTPFields = [:]) throws {
    let head = HTTPRequest(
      method: .post,
      scheme: "http",
      authority: "a",
      path: "/",
      headerFields: fields
    )
    try channel.writeInbound(HTTPRequestPart.head(head))
  }

  private func send(_ channel: EmbeddedChannel, _ bytes: Int) throws {
    try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: bytes)))
  }

  // MARK: Lingering close

  @Test func `the answer to the last request says so, whatever is sent behind it`() throws {
    let (channel, throat) = try channel()
    try ask(channel)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    try ask(channel, [.connection: "close"])
    try channel.writeInbound(HTTPRequestPart.end(nil))
    try ask(channel)
    answer(channel)
    answer(channel)
    #expect(throat.heads.map { $0.headerFields[.connection] } == [nil, "close"])
    #expect(throat.halves == 1)
  }

  @Test(arguments: ["close", "Close", "keep-alive, close"])
  func `after the last answer the peer has a while, and no more`(_ field: String) throws {
    let (channel, throat) = try channel()
    answer(channel, [.connection: field])
    // A client that reads to the end need not wait for it.
    #expect(throat.halves == 1)
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.closeSeconds) - 1))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    #expect(metrics.count(.kept) == 1)
  }

  @Test func `after the answer to a last request it is the same`() throws {
    let (channel, _) = try channel()
    try ask(channel, [.connection: "close"])
    try channel.writeInbound(HTTPRequestPart.end(nil))
    answer(channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.closeSeconds)))
    #expect(!channel.isActive)
  }

  @Test func `an answer that is found to be the last one is the last one`() throws {
    let (channel, throat) = try channel()
    try ask(channel)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
    channel.pipeline.fireUserInboundEventTriggered(LastAnswer())
    channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
    #expect(throat.halves == 1)
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.closeSeconds)))
    #expect(!channel.isActive)
  }

  @Test func `what comes after the last answer is dropped, and gives the peer longer`() throws {
    let (channel, _) = try channel()
    try ask(channel)
    answer(channel, [.connection: "close"])
    _ = try channel.readInbound(as: HTTPRequestPart.self)
    for _ in 0..<10 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.closeSeconds) - 1))
      try send(channel, 100_000)
      #expect(channel.isActive)
    }
    try channel.writeInbound(HTTPRequestPart.end(nil))
    try ask(channel)
    #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.closeSeconds)))
    #expect(!channel.isActive)
  }

  @Test func `who sends a little after the last answer gets no longer`() throws {
    let (channel, _) = try channel()
    try ask(channel)
    answer(channel, [.connection: "close"])
    for _ in 0..<limits.closeSeconds + 1 where channel.isActive {
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
      if channel.isActive { try send(channel, 1) }
    }
    #expect(!channel.isActive)
  }

  @Test func `after any other answer the connection goes on`() throws {
    let (channel, throat) = try channel()
    answer(channel)
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    #expect(throat.halves == 0)
  }

  // MARK: Departure

  @Test func `work ends when its client goes before the answer`() throws {
    for event in [ChannelEvent.inputClosed, nil] {
      let (channel, _) = try channel()
      let timeouts = try channel.pipeline.syncOperations.handler(type: ConnectionTimeouts.self)
      try ask(channel)
      var departures = 0
      timeouts.onDeparture { departures += 1 }
      #expect(departures == 0)
      if let event {
        channel.pipeline.fireUserInboundEventTriggered(event)
      } else {
        channel.pipeline.fireChannelInactive()
      }
      #expect(departures == 1)
      // A client that is gone does not come back.
      timeouts.onDeparture { departures += 1 }
      #expect(departures == 2)
    }
  }

  @Test func `work that is answered is not ended`() throws {
    let (channel, _) = try channel()
    let timeouts = try channel.pipeline.syncOperations.handler(type: ConnectionTimeouts.self)
    try ask(channel)
    var departures = 0
    timeouts.onDeparture { departures += 1 }
    try channel.writeInbound(HTTPRequestPart.end(nil))
    answer(channel)
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    timeouts.onDeparture { departures += 1 }
    #expect(departures == 0)
  }

  // MARK: What is taken

  @Test func `a peer that takes nothing is left, one that takes a little is not`() throws {
    for takes in [false, true] {
      let (channel, throat) = try channel()
      throat.isFlushed = false
      for _ in 0..<1_000 {
        channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: 100)), promise: nil)
      }
      channel.isWritable = false
      channel.pipeline.fireChannelWritabilityChanged()
      for _ in 0..<20 {
        channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.stalledSeconds) / 6))
        guard channel.isActive, takes else { continue }
        // Everything goes out, and a little less is written again.
        let rest = (try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0) - 100
        throat.isFlushed = true
        channel.flush()
        throat.isFlushed = false
        channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: rest)), promise: nil)
      }
      #expect(channel.isActive == takes)
    }
    #expect(metrics.count(.stalled) == 1)
  }

  @Test func `who takes everything in the end is not watched any more`() throws {
    let (channel, throat) = try channel()
    throat.isFlushed = false
    channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: 100)), promise: nil)
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.stalledSeconds) / 2))
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
  }

  // MARK: What is sent

  @Test func `content at its least rate comes for as long as it likes, slower one does not`() throws
  {
    for (share, lives) in [(1, true), (4, false)] {
      let (channel, _) = try channel()
      try ask(channel)
      for _ in 0..<1_000 where channel.isActive {
        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        try send(channel, limits.bodyBytesPerSecond / share)
      }
      #expect(channel.isActive == lives)
    }
    #expect(metrics.count(.slowBody) == 1)
  }

  @Test func `content may pause for as long as the slack lasts`() throws {
    let (channel, _) = try channel()
    try ask(channel)
    channel.read()
    channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(limits.bodySlackSeconds) - 1))
    try send(channel, 1)
    #expect(channel.isActive)
    channel.read()
    channel.embeddedEventLoop.advanceTime(by: .seconds(2))
    try send(channel, 1)
    #expect(!channel.isActive)
  }

  @Test func `a server that does not read closes no connection`() throws {
    let (channel, _) = try channel()
    try ask(channel)
    for _ in 0..<10 {
      channel.embeddedEventLoop.advanceTime(by: .hours(1))
      channel.read()
      try send(channel, 1)
    }
    #expect(channel.isActive)
  }

  @Test func `a request without content may be answered late`() throws {
    let (channel, _) = try channel()
    try ask(channel)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    channel.read()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    answer(channel)
    try ask(channel)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    #expect(channel.isActive)
  }

  @Test func `after its answer only some of the content is thrown away`() throws {
    let (channel, _) = try channel()
    try ask(channel)
    try send(channel, limits.unreadBytes)
    answer(channel)
    try send(channel, limits.unreadBytes)
    #expect(channel.isActive)
    try send(channel, 1)
    #expect(!channel.isActive)
    #expect(metrics.count(.unreadBody) == 1)
  }

  // MARK: Content behind a word

  @Test func `an answer in place of the word is the last one`() throws {
    let (channel, throat) = try channel()
    try ask(channel, [.expect: "100-continue"])
    answer(channel)
    #expect(throat.heads.map { $0.headerFields[.connection] } == ["close"])
  }

  @Test func `after the word, or content without it, the connection goes on`() throws {
    let (channel, throat) = try channel()
    try ask(channel, [.expect: "100-continue"])
    channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
    try send(channel, 1)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    answer(channel)
    try ask(channel, [.expect: "100-continue"])
    try send(channel, 1)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    answer(channel)
    #expect(throat.heads.map { $0.headerFields[.connection] } == [nil, nil, nil])
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
  }

  @Test func `who waits for the word is not slow`() throws {
    let (channel, _) = try channel()
    try ask(channel, [.expect: "100-continue"])
    channel.read()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
    try send(channel, 1)
    #expect(channel.isActive)
  }
}
