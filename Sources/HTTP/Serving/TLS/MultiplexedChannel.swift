import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// A connection that speaks HTTP/2 (RFC 9113), with the limits of ``ServerLimits`` for it and each of its streams.
struct MultiplexedChannel: HTTPChannelHandler {
  typealias Stream = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  struct Value: ServerChildChannelValue {
    let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Stream>
    let channel: any Channel
  }

  let responder: HTTPChannelHandler.Responder
  let limits: ServerLimits
  let metrics: ConnectionMetrics
  let clock: ServiceClock
  let present: [String]

  /// Over how many seconds resets of streams and other frames without a request are counted.
  static let window = TimeAmount.seconds(30)

  private var configuration: NIOHTTP2Handler.Configuration {
    var configuration = NIOHTTP2Handler.Configuration()
    configuration.connection.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: limits.fieldsBytes),
    ]
    configuration.connection.maximumBufferedControlFrames = 8 * limits.streams
    configuration.connection.controlFrameRateLimit.windowLength = Self.window
    configuration.connection.controlFrameRateLimit.maximumCount = limits.resets
    configuration.stream.streamResetFrameRateLimit.windowLength = Self.window
    configuration.stream.streamResetFrameRateLimit.maximumCount = limits.resets
    configuration.stream.streamErrorRateLimit.windowLength = Self.window
    configuration.stream.streamErrorRateLimit.maximumCount = limits.resets
    return configuration
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let shutdown = NIOHTTP2ServerConnectionManagementHandler(
        eventLoop: channel.eventLoop,
        configuration: .init(maxIdleTime: nil, maxAge: nil, maxGraceTime: nil, keepalive: nil)
      )
      let timeouts = MultiplexedTimeouts(
        channel: channel,
        limits: limits,
        metrics: metrics,
        shutdown: shutdown.http2StreamDelegate
      )
      let bound = NIOLoopBound(timeouts, eventLoop: channel.eventLoop)
      let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Stream> =
        try pipeline.configureAsyncHTTP2Pipeline(
          mode: .server,
          streamDelegate: StreamCount(timeouts: bound),
          frameDelegate: timeouts,
          configuration: configuration
        ) { [limits, metrics, clock, present] stream in
          stream.eventLoop.makeCompletedFuture {
            let pipeline = stream.pipeline.syncOperations
            try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
            if !clock.isMachine {
              try pipeline.addHandler(AnswerDate(clock: clock, present: present))
            }
            try pipeline.addHandler(
              StreamTimeouts(limits: limits, metrics: metrics, connection: bound.value)
            )
            return try Stream(wrappingChannelSynchronously: stream)
          }
        }
      try pipeline.addHandler(timeouts)
      try pipeline.addHandler(shutdown)
      return Value(streams: streams, channel: channel)
    }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      try await withThrowingDiscardingTaskGroup { group in
        for try await stream in value.streams.inbound {
          group.addTask { await handle(stream, logger: logger) }
        }
      }
    } catch {
      logger.trace("a connection of HTTP/2 ended", metadata: ["error": "\(error)"])
    }
    value.channel.close(promise: nil)
  }

  /// Answers the request of a stream; the work ends with the stream, so that a client that resets streams has no more
  /// work under way than it has streams.
  private func handle(_ stream: Stream, logger: Logger) async {
    let work = Task { await handleHTTP(asyncChannel: stream, logger: logger) }
    stream.channel.closeFuture.whenComplete { _ in work.cancel() }
    await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
  }
}

/// Passes the begin and end of streams on.
private struct StreamCount: NIOHTTP2StreamDelegate {
  let timeouts: NIOLoopBound<MultiplexedTimeouts>

  func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
    timeouts.value.began(id, channel)
  }

  func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
    timeouts.value.ended(id, channel)
  }
}
