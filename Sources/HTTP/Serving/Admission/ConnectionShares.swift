import NIOCore
import Synchronization

/// Holds each client network to its share of the connections (``FairPlaces``).
///
/// Proxies that are named, and Unix sockets, carry the connections of many clients and have no share.
final class ConnectionShares: Sendable {
  private let places: Mutex<FairPlaces>
  private let percent: Int
  private let proxies: TrustedProxies
  private let metrics: ConnectionMetrics

  init(limits: ServerLimits, proxies: TrustedProxies, metrics: ConnectionMetrics) {
    places = Mutex(FairPlaces(most: limits.connections))
    percent = limits.networkPercent
    self.proxies = proxies
    self.metrics = metrics
  }

  /// Counts a connection that was accepted, or closes one: the longest idle one of its network, and itself if none is idle.
  ///
  /// - Parameter channel: The connection, which is not one of the idle ones yet: its place may be taken from one of them.
  /// - Returns: Whether the connection stays. One that is being closed has no place to give to the next one.
  func enter(_ channel: any Channel) -> Bool {
    let address = channel.remoteAddress.flatMap { IPAddress($0) }
    guard let address, !proxies.contains(address) else { return true }
    let network = ClientNetwork(address: address.bytes)
    let refusal = places.withLock { $0.enter(network, percent: percent) }
    // The number of all connections is limited where they are accepted; this count may lag behind it.
    guard refusal != .full else { return true }
    if refusal == nil {
      leave(network, with: channel)
    } else if metrics.idle.makeRoom(in: network) {
      metrics.ended(.crowded)
      // The one that is closed gives its place back in a moment.
      if places.withLock({ $0.enter(network, percent: 100) }) == nil {
        leave(network, with: channel)
      }
    } else {
      metrics.ended(.share)
      // After the handlers are in place, which expect an open connection.
      channel.eventLoop.execute { channel.close(promise: nil) }
      return false
    }
    return true
  }

  private func leave(_ network: ClientNetwork, with channel: any Channel) {
    channel.closeFuture.whenComplete { [self] _ in places.withLock { $0.leave(network) } }
  }
}
