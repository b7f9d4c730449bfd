import NIOCore
import NIOHTTP2

/// Ends connections of HTTP/2 without streams that are idle for too long, and those whose client has gone.
///
/// An idle connection gets a GOAWAY, and is closed if its client does not close it. As with HTTP/1.1, idle connections are
/// the first to go when places run out.
final class MultiplexedTimeouts: ChannelInboundHandler, NIOHTTP2FrameDelegate {
  typealias InboundIn = HTTP2Frame
  typealias InboundOut = HTTP2Frame

  private let channel: any Channel
  private let limits: ServerLimits
  private let metrics: ConnectionMetrics
  private let shutdown: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate
  /// The bytes of content sent so far on each stream that is open.
  private var sent: [HTTP2StreamID: Int] = [:]
  private var timeout: Scheduled<Void>?

  init(
    channel: any Channel,
    limits: ServerLimits,
    metrics: ConnectionMetrics,
    shutdown: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate
  ) {
    self.channel = channel
    self.limits = limits
    self.metrics = metrics
    self.shutdown = shutdown
  }

  /// How many bytes of content were sent on a stream.
  func bytesSent(on stream: HTTP2StreamID) -> Int { sent[stream] ?? 0 }

  // MARK: Streams

  func began(_ id: HTTP2StreamID, _ stream: any Channel) {
    if sent.isEmpty {
      metrics.idle.remove(channel)
      timeout?.cancel()
      timeout = nil
    }
    sent[id] = 0
    shutdown.streamCreated(id, channel: stream)
  }

  func ended(_ id: HTTP2StreamID, _ stream: any Channel) {
    sent[id] = nil
    shutdown.streamClosed(id, channel: stream)
    guard sent.isEmpty, channel.isActive else { return }
    metrics.idle.insert(channel)
    waitForStreams()
  }

  func wroteFrame(_ frame: HTTP2Frame) {
    guard case .data(let content) = frame.payload else { return }
    sent[frame.streamID]? += content.data.readableBytes
  }

  // MARK: Connection

  func handlerAdded(context: ChannelHandlerContext) { waitForStreams() }

  func handlerRemoved(context: ChannelHandlerContext) { timeout?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timeout?.cancel()
    context.fireChannelInactive()
  }

  private func waitForStreams() {
    timeout?.cancel()
    let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
    timeout = channel.eventLoop.scheduleTask(in: .seconds(Int64(limits.idleSeconds))) {
      bound.value.leave()
    }
  }

  /// Says that the connection ends, and ends it a little later.
  private func leave() {
    metrics.ended(.noRequest)
    channel.pipeline.syncOperations.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
    timeout = channel.eventLoop.scheduleTask(in: .seconds(Int64(limits.closeSeconds))) {
      bound.value.channel.close(promise: nil)
    }
  }

  /// Ends a connection that its client broke.
  ///
  /// NIO has said why (GOAWAY). What breaks a stream resets that alone.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !(error is NIOHTTP2Errors.StreamError) { context.close(promise: nil) }
    context.fireErrorCaught(error)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // HTTP/2 has no half of a connection that closes: a client that sends nothing more takes nothing more.
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}
