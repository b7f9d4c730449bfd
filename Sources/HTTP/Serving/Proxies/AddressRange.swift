import NIOCore

/// A range of IP addresses, such as `10.0.0.0/8` or `2001:db8::1` (RFC 4632, RFC 4291).
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]
  private let bits: Int
  package let description: String

  /// Reads a range.
  ///
  /// - Parameter text: An address, or an address with the number of bits that count, at least 1; the others are 0.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
    var bits = 8 * address.bytes.count
    if parts.count == 2 {
      guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(parts[1]), (1...bits).contains(number)
      else { return nil }
      bits = number
    }
    bytes = address.bytes
    self.bits = bits
    description = text
    guard Self.masked(bytes, bits) == bytes else { return nil }
  }

  /// Whether an address is in the range.
  func contains(_ address: IPAddress) -> Bool {
    address.bytes.count == bytes.count && Self.masked(address.bytes, bits) == bytes
  }

  private static func masked(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
    bytes.enumerated().map { index, byte in
      let kept = min(8, max(0, bits - 8 * index))
      return kept == 0 ? 0 : byte & (0xFF << (8 - kept))
    }
  }
}

/// An address of IPv4 or IPv6; one of IPv4 within IPv6 is one of IPv4.
struct IPAddress: Hashable, Sendable {
  /// 4 or 16 bytes.
  let bytes: [UInt8]

  init(bytes: [UInt8]) {
    let isMapped =
      bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF
      && bytes[11] == 0xFF
    self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
  }

  /// Reads an address without a port, a zone or brackets.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 45,
      let address = try? SocketAddress(ipAddress: String(text), port: 0),
      let found = IPAddress(address)
    else { return nil }
    self = found
  }

  /// The address of a peer; `nil` on a Unix socket.
  init?(_ address: SocketAddress) {
    switch address {
    // The address of a sockaddr_in begins at its fifth byte, that of a sockaddr_in6 at its ninth.
    case .v4(let address):
      self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
    case .v6(let address):
      self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
    case .unixDomainSocket: return nil
    }
  }
}
