import NIOCore
import Synchronization

/// Holds each client network to its share of the connections (``FairPlaces``).
///
/// Proxies that are named, and Unix sockets, carry the connections of many clients and have no share.
final class ConnectionShares: Sendable {
  private let places: Mutex<FairPlaces>
  private let percent: Int
  private let proxies: TrustedProxies
  private let tally: ConnectionMetrics

  init(limits: ServerLimits, proxies: TrustedProxies, tally: ConnectionMetrics) {
    places = Mutex(FairPlaces(most: limits.connections))
    percent = limits.networkPercent
    self.proxies = proxies
    self.tally = tally
  }

  /// Counts a connection that was accepted, or closes it: one of its network that is idle, if there is one, and otherwise itself.
  func enter(_ channel: any Channel) {
    let address = channel.remoteAddress.flatMap { IPAddress($0) }
    guard let address, !proxies.contains(address) else { return }
    let network = ClientNetwork(address: address.bytes)
    let refusal = places.withLock { $0.enter(network, percent: percent) }
    // The number of all connections is limited where they are accepted; this count may lag behind it.
    guard refusal != .full else { return }
    if refusal == nil {
      leave(network, with: channel)
    } else if tally.idle.makeRoom(in: network) {
      tally.ended(.crowded)
      // The one that is closed gives its place back in a moment.
      if places.withLock({ $0.enter(network, percent: 100) }) == nil {
        leave(network, with: channel)
      }
    } else {
      tally.ended(.share)
      // After the handlers are in place, which expect an open connection.
      channel.eventLoop.execute { channel.close(promise: nil) }
    }
  }

  private func leave(_ network: ClientNetwork, with channel: any Channel) {
    channel.closeFuture.whenComplete { [self] _ in places.withLock { $0.leave(network) } }
  }
}
