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

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      let buffer =
        if case .body(let bytes) = unwrapOutboundIn(data) { bytes } else { ByteBuffer(string: "x") }
      context.write(wrapOutboundOut(buffer), promise: promise)
    }

    func flush(context: ChannelHandlerContext) { if isFlushed { context.flush() } }
  }

  private func channel() throws -> (EmbeddedChannel, Throat) {
    let throat = Throat()
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([throat, ConnectionWarden()])
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

  @Test(arguments: ["close", "Close", "keep-alive, close"])
  func `after the last answer the peer has a while, and no more`(_ field: String) throws {
    let (channel, _) = try channel()
    answer(channel, [.connection: field])
    channel.embeddedEventLoop.advanceTime(by: .seconds(ServerLimits.closeSeconds) - .seconds(1))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `after any other answer the connection goes on`() throws {
    let (channel, _) = try channel()
    answer(channel)
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
  }

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
        channel.embeddedEventLoop.advanceTime(by: .seconds(ServerLimits.stalledSeconds / 6))
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
  }

  @Test func `who takes everything in the end is not watched any more`() throws {
    let (channel, throat) = try channel()
    throat.isFlushed = false
    channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: 100)), promise: nil)
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .seconds(ServerLimits.stalledSeconds / 2))
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
  }
}
