import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends connections that nothing else ends: after an answer that says so, and when the peer reads nothing.
///
/// 1. After an answer with `Connection: close` the peer has a while to read it; what it still sends is dropped.
/// 2. While something waits to be sent, the peer takes some of it again and again. An answer that goes out slowly
///    is fine; one of which nothing goes out for ``ServerLimits/stalledSeconds`` ends the connection.
final class ConnectionWarden: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// How often a connection that takes nothing is looked at, until it is closed.
  private static let looks: Int64 = 6

  private var isLast = false
  private var farewell: Scheduled<Void>?
  private var look: Scheduled<Void>?
  private var waiting = 0
  private var stalls: Int64 = 0

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var promise = promise
    switch unwrapOutboundIn(data) {
    case .head(let head):
      let words = head.headerFields[.connection]?.lowercased() ?? ""
      isLast = words.split(separator: ",").contains { $0.filter { $0 != " " } == "close" }
    case .body: break
    case .end:
      if isLast {
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        promise = sent
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        sent.futureResult.whenComplete { _ in
          let (warden, context) = bound.value
          warden.sayFarewell(context)
        }
      }
    }
    context.write(data, promise: promise)
  }

  private func sayFarewell(_ context: ChannelHandlerContext) {
    guard farewell == nil else { return }
    let channel = context.channel
    farewell = context.eventLoop.scheduleTask(in: .seconds(ServerLimits.closeSeconds)) {
      channel.close(promise: nil)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      look?.cancel()
      look = nil
    } else if look == nil {
      stalls = 0
      waiting = Self.buffered(context)
      lookLater(context)
    }
    context.fireChannelWritabilityChanged()
  }

  private func lookLater(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    look = context.eventLoop.scheduleTask(in: .seconds(ServerLimits.stalledSeconds / Self.looks)) {
      let (warden, context) = bound.value
      warden.lookAgain(context)
    }
  }

  private func lookAgain(_ context: ChannelHandlerContext) {
    let still = Self.buffered(context)
    stalls = still < waiting ? 0 : stalls + 1
    waiting = still
    guard stalls < Self.looks else { return context.close(promise: nil) }
    lookLater(context)
  }

  private static func buffered(_ context: ChannelHandlerContext) -> Int {
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    farewell?.cancel()
    look?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    farewell?.cancel()
    look?.cancel()
    context.fireChannelInactive()
  }
}
