package import Hummingbird
import NIOCore

/// What counts as one client for limits: an IPv4 address, or a 64-bit IPv6 network.
///
/// Behind a proxy all clients have its address, unless ``TrustedProxies`` names it.
package struct ClientNetwork: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// Creates a network.
  ///
  /// - Parameter address: The 4 or 16 bytes of an address. One of IPv4 within IPv6 counts as one of IPv4.
  package init(address: [UInt8]) {
    let address = IPAddress(bytes: address).bytes
    bytes = Array(address.prefix(address.count == 16 ? 8 : 4))
  }

  /// The bytes of the network, in decimal.
  package var description: String { bytes.map(String.init).joined(separator: ".") }

  /// The network of the client of a request; `nil` on a Unix socket.
  package init?(of context: some RequestContext) {
    if let client = context as? ClientContext {
      guard let network = client.network else { return nil }
      self = network
    } else {
      let address = (context as? any RemoteAddressRequestContext)?.remoteAddress
      guard let network = address.flatMap({ ClientNetwork($0) }) else { return nil }
      self = network
    }
  }

  /// The network of an address; `nil` for a Unix socket.
  init?(_ address: SocketAddress) {
    guard let address = IPAddress(address) else { return nil }
    self.init(address: address.bytes)
  }
}
