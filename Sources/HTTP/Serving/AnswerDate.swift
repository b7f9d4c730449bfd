import ConditionalHTTP
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Dates answers by the service clock (RFC 9110 section 6.6.1): an answer without a body, such as a 304, states its
/// time in no other way, and its time is that of the answers with one.
///
/// Every answer of a connection passes here, also those that no endpoint made. Answers about what is of the present
/// whatever the service clock shows, such as the state of files, keep the machine's date.
final class AnswerDate: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let clock: ServiceClock
  /// The beginnings of the paths whose answers are of the present.
  private let present: [String]
  /// For each request that is not answered yet, whether it is about the present; answers come in this order.
  private var asked = CircularBuffer<Bool>()
  /// The date that was written last.
  private var second: Int64 = .min
  private var text = ""

  init(clock: ServiceClock, present: [String]) {
    self.clock = clock
    self.present = present
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) {
      asked.append(present.contains { head.path?.hasPrefix($0) == true })
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational,
      asked.popFirst() != true
    else { return context.write(data, promise: promise) }
    head.headerFields[.date] = date
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }

  private var date: String {
    let now = Int64(clock.now.rounded(.down))
    if now != second {
      second = now
      text = HTTPDate(secondsSince1970: now).description
    }
    return text
  }
}
