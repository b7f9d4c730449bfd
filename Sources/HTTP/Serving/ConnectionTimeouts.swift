import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends connections that nothing else ends: after a response that closes them, and when the peer stops reading or sends
/// too slowly.
/// 1. After a response with `Connection: close`, or to a request with it, nothing more is sent, so that a peer that
///    reads to the end is done. It has some time to read; what it still sends is discarded. While that arrives at its
///    minimum rate the peer has longer, since many clients send everything before they read.
/// 2. While output is pending, the peer must keep reading. A slow response is fine; if nothing is sent for
///    ``ServerLimits/stalledSeconds``, the connection ends. A silent stream has no pending output.
/// 3. The content of a request must arrive at a minimum rate, whether it is read or not (``BodyPace``).
/// 4. Some of the content that arrives after the response is discarded, so that clients that send everything first read
///    their response; more ends the connection.
///
/// A response sent before 100 (Continue) is the last one on its connection: the client may or may not still send the
/// content (``AwaitedContent``).
final class ConnectionTimeouts: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: ServerLimits
  private let metrics: ConnectionMetrics

  private var isLast = false
  /// Whether the last answer is written.
  private var isLeaving = false
  private var lingering: Scheduled<Void>?
  private var leavesAt = NIODeadline.uptimeNanoseconds(0)
  private var check: Scheduled<Void>?
  private var stall = StallCheck()
  /// How many requests began, and how many were answered.
  private var begun = 0
  private var answered = 0
  /// The pace of the last request's content; `nil` once it is complete.
  private var pace: BodyPace?
  /// How much of it came after its answer.
  private var unread = 0
  /// The number of the request whose client waits for 100 Continue.
  private var expecting: Int?
  /// The number of the request whose client wants no other one.
  private var closing: Int?
  /// Called when the client disconnects before its response.
  private var departure: (() -> Void)?
  private var isGone = false

  init(limits: ServerLimits, metrics: ConnectionMetrics) {
    self.limits = limits
    self.metrics = metrics
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head where isLeaving: break
    case .head(let head):
      metrics.idle.remove(context.channel)
      begun += 1
      // What a client sends behind its last request is not answered.
      if closing == nil, Self.closes(head.headerFields) { closing = begun }
      unread = 0
      pace = BodyPace(limits)
      let expectation = head.headerFields[.expect]?.lowercased()
      expecting = expectation == AwaitedContent.expectation ? begun : nil
    case .body(let bytes):
      expecting = nil
      if pace?.record(bytes.readableBytes, now: context.eventLoop.now) == false {
        return end(.slowBody, context)
      }
      if answered == begun {
        unread += bytes.readableBytes
        if unread > limits.unreadBytes { return end(.unreadBody, context) }
        waitLonger(for: bytes.readableBytes, now: context.eventLoop.now)
      }
    case .end:
      expecting = nil
      pace = nil
    }
    if !isLeaving { context.fireChannelRead(data) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is LastAnswer {
      isLast = true
      return
    }
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { depart() }
    context.fireUserInboundEventTriggered(event)
  }

  /// Does something when the client closes its side before the answer to its request is written.
  func onDeparture(_ act: @escaping () -> Void) {
    guard answered < begun else { return }
    if isGone { act() } else { departure = act }
  }

  private func depart() {
    isGone = true
    departure?()
    departure = nil
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    // While leaving, nothing else requests the content to discard.
    guard isLeaving else { return }
    pace?.wait(now: context.eventLoop.now)
    context.read()
  }

  func read(context: ChannelHandlerContext) {
    // Before 100 (Continue) is sent, no content is expected.
    if expecting == nil { pace?.wait(now: context.eventLoop.now) }
    context.read()
  }

  private func end(_ reason: ConnectionMetrics.Reason, _ context: ChannelHandlerContext) {
    metrics.ended(reason)
    context.close(promise: nil)
  }

  // MARK: Answers

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var (data, promise) = (data, promise)
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.kind == .informational:
      expecting = nil
      pace?.wait(now: context.eventLoop.now)
    case .head(var head):
      // RFC 9112, section 9.6: the last answer says that it is.
      if expecting == answered + 1 || closing == answered + 1 {
        head.headerFields[.connection] = "close"
        data = wrapOutboundOut(.head(head))
      }
      isLast = Self.closes(head.headerFields)
    case .body: break
    case .end:
      answered += 1
      departure = nil
      let isLast = isLast
      if isLast {
        isLeaving = true
        context.read()
      }
      let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
      promise = sent
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      sent.futureResult.whenComplete { _ in
        let (timeouts, context) = bound.value
        if isLast { timeouts.closeAfterLinger(context) } else { timeouts.rest(context) }
      }
    }
    context.write(data, promise: promise)
  }

  /// The connection is idle once its answers are sent and no request is in progress.
  private func rest(_ context: ChannelHandlerContext) {
    guard answered == begun, pace == nil, context.channel.isActive else { return }
    metrics.idle.insert(context.channel)
  }

  private static func closes(_ fields: HTTPFields) -> Bool {
    guard let words = fields[.connection]?.lowercased() else { return false }
    return words.split(separator: ",").contains { $0.filter { $0 != " " } == "close" }
  }

  private func closeAfterLinger(_ context: ChannelHandlerContext) {
    guard lingering == nil, context.channel.isActive else { return }
    context.close(mode: .output, promise: nil)
    leavesAt = context.eventLoop.now + pause
    waitForEnd(context)
  }

  private var pause: TimeAmount { .seconds(Int64(limits.closeSeconds)) }

  /// Gives the peer the time that what it sent was worth, and never more than it had at the beginning.
  private func waitLonger(for bytes: Int, now: NIODeadline) {
    guard lingering != nil else { return }
    let worth = Int64(bytes) * 1_000_000_000 / Int64(limits.bodyBytesPerSecond)
    leavesAt = min(now + pause, leavesAt + .nanoseconds(worth))
  }

  private func waitForEnd(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    lingering = context.eventLoop.scheduleTask(deadline: leavesAt) {
      let (timeouts, context) = bound.value
      guard context.eventLoop.now < timeouts.leavesAt else { return timeouts.end(.kept, context) }
      timeouts.waitForEnd(context)
    }
  }

  // MARK: Incoming data

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      check?.cancel()
      check = nil
    } else if check == nil {
      stall.begin(Self.progress(context))
      checkLater(context)
    }
    context.fireChannelWritabilityChanged()
  }

  private func checkLater(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    check = context.eventLoop.scheduleTask(in: StallCheck.interval(limits)) {
      let (timeouts, context) = bound.value
      timeouts.checkAgain(context)
    }
  }

  private func checkAgain(_ context: ChannelHandlerContext) {
    guard !stall.isStalled(Self.progress(context)) else { return end(.stalled, context) }
    checkLater(context)
  }

  /// The less is buffered, the more the peer has taken.
  private static func progress(_ context: ChannelHandlerContext) -> Int {
    -((try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    lingering?.cancel()
    check?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    depart()
    lingering?.cancel()
    check?.cancel()
    context.fireChannelInactive()
  }
}
