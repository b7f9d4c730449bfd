package import Hummingbird
import NIOCore

/// What counts as one client for limits: an IPv4 address, or a 64-bit IPv6 network.
///
/// Behind a proxy all clients have its address: forwarded addresses in requests are not trusted.
package struct ClientNetwork: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// Creates a network.
  ///
  /// - Parameter address: The 4 or 16 bytes of an address. One of IPv4 within IPv6 counts as one of IPv4.
  package init(address: [UInt8]) {
    let isMapped =
      address.count == 16 && address.prefix(10).allSatisfy { $0 == 0 }
      && address[10] == 0xFF && address[11] == 0xFF
    bytes = isMapped ? Array(address.suffix(4)) : Array(address.prefix(address.count == 16 ? 8 : 4))
  }

  /// The bytes of the network, in decimal.
  package var description: String { bytes.map(String.init).joined(separator: ".") }

  /// The network of the client of a request; `nil` on a Unix socket.
  package init?(of context: some RequestContext) {
    guard let address = (context as? any RemoteAddressRequestContext)?.remoteAddress else {
      return nil
    }
    self.init(address)
  }

  /// The network of an address; `nil` for a Unix socket.
  init?(_ address: SocketAddress) {
    switch address {
    // The address of a sockaddr_in begins at its fifth byte, that of a sockaddr_in6 at its ninth.
    case .v4(let address):
      self.init(address: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
    case .v6(let address):
      self.init(address: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
    case .unixDomainSocket: return nil
    }
  }
}
