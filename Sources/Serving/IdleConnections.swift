import NIOCore
import Synchronization

/// The connections of a server that have no request in progress.
///
/// When the places run out, one of them is closed so that others get in: the longest idle one of the network that has
/// most of them. So a client that opens connections and leaves them idle takes places from itself first.
final class IdleConnections: Sendable {
  private struct Place {
    var channel: any Channel
    var network: ClientNetwork?
    /// Grows with each connection that becomes idle.
    var since: UInt64
  }

  private struct State {
    var places: [ObjectIdentifier: Place] = [:]
    var number: UInt64 = 0
  }

  private let state = Mutex(State())

  /// A connection waits for a request, its first or the next one.
  func insert(_ channel: any Channel) {
    let network = channel.remoteAddress.flatMap { ClientNetwork($0) }
    state.withLock { state in
      state.number += 1
      let place = Place(channel: channel, network: network, since: state.number)
      state.places[ObjectIdentifier(channel)] = place
    }
  }

  /// A request came on a connection, or the connection is closed.
  func remove(_ channel: any Channel) {
    _ = state.withLock { $0.places.removeValue(forKey: ObjectIdentifier(channel)) }
  }

  /// Closes a connection.
  ///
  /// - Returns: Whether there was one to close.
  func closeOne() -> Bool {
    let channel = state.withLock { state -> (any Channel)? in
      var counts: [ClientNetwork?: Int] = [:]
      for place in state.places.values { counts[place.network, default: 0] += 1 }
      let crowded = counts.max { $0.value < $1.value }?.key
      let oldest = state.places.filter { $0.value.network == crowded }
        .min { $0.value.since < $1.value.since }
      guard let oldest else { return nil }
      return state.places.removeValue(forKey: oldest.key)?.channel
    }
    channel?.close(promise: nil)
    return channel != nil
  }
}

/// Tells ``IdleConnections`` when a connection has a request in progress.
///
/// It stands behind the HTTP codec, so a connection whose first request is not complete yet counts as idle.
final class IdleConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = Any

  private let idle: IdleConnections

  init(_ idle: IdleConnections) { self.idle = idle }

  func handlerAdded(context: ChannelHandlerContext) { idle.insert(context.channel) }

  func handlerRemoved(context: ChannelHandlerContext) { idle.remove(context.channel) }

  func channelInactive(context: ChannelHandlerContext) {
    idle.remove(context.channel)
    context.fireChannelInactive()
  }
}
