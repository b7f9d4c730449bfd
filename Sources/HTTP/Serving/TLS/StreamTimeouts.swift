import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypes

/// Gives the requests of HTTP/2 the limits and the shape of those of HTTP/1.1 (``ConnectionTimeouts``, ``HeadReview``).
/// 1. The number of fields and their sizes are limited: more is answered with 431.
/// 2. Without `:authority`, `Host` takes its place; a request without either gets an invalid one, so that it is refused
///    (RFC 9113, section 8.3.1).
/// 3. The content of a request must arrive at a minimum rate (``BodyPace``); some of it is discarded after the response.
/// 4. While output is pending, the client must take some of it within ``ServerLimits/stalledSeconds``.
/// 5. Responses have no fields of a connection (section 8.2.2), and those to HEAD no content.
///
/// What breaks a limit resets its stream; the other streams of the connection continue.
final class StreamTimeouts: ChannelDuplexHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: ServerLimits
  private let metrics: ConnectionMetrics
  private let connection: MultiplexedTimeouts

  private var isHead = false
  private var isAnswered = false
  /// Whether the request is refused here: nothing of it is passed on.
  private var isRefused = false
  /// Whether the client waits for 100 (Continue).
  private var isExpecting = false
  /// The pace of the content; `nil` once it is complete.
  private var pace: BodyPace?
  private var unread = 0
  private var check: Scheduled<Void>?
  private var stall = StallCheck()

  /// The fields that belong to a connection of HTTP/1.1.
  private static let connectionFields: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
  ]
  private static let host = HTTPField.Name("host")

  init(limits: ServerLimits, metrics: ConnectionMetrics, connection: MultiplexedTimeouts) {
    self.limits = limits
    self.metrics = metrics
    self.connection = connection
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    switch unwrapInboundIn(data) {
    case .head(var head):
      isHead = head.method == .head
      guard isWithinLimits(head.headerFields) else { return refuse(context) }
      Self.setAuthority(&head)
      pace = BodyPace(limits)
      isExpecting = head.headerFields[.expect]?.lowercased() == AwaitedContent.expectation
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body(let bytes):
      isExpecting = false
      if pace?.record(bytes.readableBytes, now: context.eventLoop.now) == false {
        return end(.slowBody, context)
      }
      if isAnswered {
        unread += bytes.readableBytes
        if unread > limits.unreadBytes { return end(.unreadBody, context) }
      }
      context.fireChannelRead(data)
    case .end:
      isExpecting = false
      pace = nil
      context.fireChannelRead(data)
    }
  }

  func read(context: ChannelHandlerContext) {
    if !isExpecting { pace?.wait(now: context.eventLoop.now) }
    context.read()
  }

  private func isWithinLimits(_ fields: HTTPFields) -> Bool {
    fields.count <= limits.fields
      && fields.allSatisfy {
        $0.name.rawName.utf8.count + $0.value.utf8.count <= limits.fieldBytes
      }
  }

  private static func setAuthority(_ head: inout HTTPRequest) {
    guard let name = host else { return }
    let hosts = head.headerFields[values: name]
    if head.authority == nil {
      head.authority = hosts.first ?? HostField.missing
      if hosts.count == 1 { head.headerFields[name] = nil }
    } else if hosts.count == 1, hosts[0].lowercased() == head.authority?.lowercased() {
      head.headerFields[name] = nil
    }
  }

  private func refuse(_ context: ChannelHandlerContext) {
    isRefused = true
    let content = Self.tooLarge.content
    let head = HTTPResponse(
      status: .requestHeaderFieldsTooLarge,
      headerFields: [
        .contentType: "application/problem+json", .cacheControl: "no-store",
        .contentLength: String(content.readableBytes),
      ]
    )
    write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
    write(context: context, data: wrapOutboundOut(.body(content)), promise: nil)
    let sent = context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    sent.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
    write(context: context, data: wrapOutboundOut(.end(nil)), promise: sent)
    context.flush()
  }

  private static let tooLarge = Problem(
    .requestHeaderFieldsTooLarge,
    "bad_request",
    detail: "the head of the request is too large"
  )

  private func end(_ reason: ConnectionMetrics.Reason, _ context: ChannelHandlerContext) {
    metrics.ended(reason)
    context.close(promise: nil)
  }

  // MARK: Answers

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.kind == .informational:
      isExpecting = false
      pace?.wait(now: context.eventLoop.now)
      context.write(data, promise: promise)
    case .head(var head):
      head.headerFields.removeAll { Self.connectionFields.contains($0.name.canonicalName) }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body where isHead:
      promise?.succeed()
    case .body:
      context.write(data, promise: promise)
    case .end:
      isAnswered = true
      context.write(data, promise: promise)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      check?.cancel()
      check = nil
    } else if check == nil {
      stall.begin(bytesSent(context))
      checkLater(context)
    }
    context.fireChannelWritabilityChanged()
  }

  private func bytesSent(_ context: ChannelHandlerContext) -> Int {
    let id = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
    return id.map { connection.bytesSent(on: $0) } ?? 0
  }

  private func checkLater(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    check = context.eventLoop.scheduleTask(in: StallCheck.interval(limits)) {
      let (timeouts, context) = bound.value
      timeouts.checkAgain(context)
    }
  }

  private func checkAgain(_ context: ChannelHandlerContext) {
    guard !stall.isStalled(bytesSent(context)) else { return end(.stalled, context) }
    checkLater(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { check?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    context.fireChannelInactive()
  }
}
