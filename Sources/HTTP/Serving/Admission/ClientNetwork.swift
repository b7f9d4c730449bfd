package import Hummingbird
import NIOCore

/// What counts as one client for limits: an IPv4 address, or a 64-bit IPv6 network.
///
/// Behind a proxy all clients have its address, unless ``TrustedProxies`` names it. This machine is one client, whether it
/// connects to 127.0.0.1 or to ::1.
package struct ClientNetwork: Hashable, Sendable, CustomStringConvertible {
  /// The leading bits of an address, aligned to the left.
  private let bits: UInt64
  private let isVersion6: Bool
  /// How many bits count.
  private let length: UInt8

  private init(bits: UInt64, isVersion6: Bool, length: UInt8) {
    self.bits = bits
    self.isVersion6 = isVersion6
    self.length = length
  }

  /// Creates a network.
  ///
  /// - Parameter address: The 4 or 16 bytes of an address. One of IPv4 within IPv6 counts as one of IPv4.
  package init(address: [UInt8]) {
    var address = IPAddress(bytes: address).bytes
    if address.count == 16, address.last == 1, address.dropLast().allSatisfy({ $0 == 0 }) {
      address = [127, 0, 0, 1]
    }
    let kept = address.prefix(address.count == 16 ? 8 : 4)
    let bits = kept.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(
      bits: bits << UInt64(64 - 8 * kept.count),
      isVersion6: address.count == 16,
      length: UInt8(8 * kept.count)
    )
  }

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

  /// The network of 48 bits, which is what one customer of a provider commonly has at most; `nil` for IPv4.
  var site: ClientNetwork? { isVersion6 ? shortened(to: 48) : nil }

  /// The network that represents this one when too many are known: of 48 bits in IPv6, of 16 in IPv4.
  var aggregate: ClientNetwork { shortened(to: isVersion6 ? 48 : 16) }

  private func shortened(to length: UInt8) -> ClientNetwork {
    ClientNetwork(
      bits: bits & ~(UInt64.max >> UInt64(length)),
      isVersion6: isVersion6,
      length: min(length, self.length)
    )
  }

  /// The network as an address, with the number of bits that count if those are not all of one of IPv4.
  package var description: String {
    guard isVersion6 else {
      let address = (0..<4).map { String(bits >> UInt64(56 - 8 * $0) & 0xFF) }
        .joined(separator: ".")
      return length == 32 ? address : "\(address)/\(length)"
    }
    var groups = (0..<4).map { String(bits >> UInt64(48 - 16 * $0) & 0xFFFF, radix: 16) }
    while groups.last == "0" { groups.removeLast() }
    return "\(groups.joined(separator: ":"))::/\(length)"
  }
}
