import Testing

@testable import Serving

@Suite struct `Who counts as one client` {
  @Test func `is an address of IPv4, however it is written`() {
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    let plain = ClientNetwork(address: [192, 0, 2, 1])
    #expect(plain == ClientNetwork(address: mapped + [192, 0, 2, 1]))
    #expect(plain != ClientNetwork(address: mapped + [192, 0, 2, 2]))
  }

  @Test func `is a network of IPv6`() {
    func address(_ network: UInt8, _ host: UInt8) -> [UInt8] {
      [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, network] + [UInt8](repeating: host, count: 8)
    }
    #expect(ClientNetwork(address: address(1, 1)) == ClientNetwork(address: address(1, 2)))
    #expect(ClientNetwork(address: address(1, 1)) != ClientNetwork(address: address(2, 1)))
  }

  @Test func `is this machine, whether by IPv4 or IPv6`() {
    let local = ClientNetwork(address: [127, 0, 0, 1])
    #expect(ClientNetwork(address: [UInt8](repeating: 0, count: 15) + [1]) == local)
    #expect(ClientNetwork(address: [UInt8](repeating: 0, count: 15) + [2]) != local)
    #expect(ClientNetwork(address: [127, 0, 0, 2]) != local)
  }

  @Test func `is shown as an address, and has an aggregate`() {
    let plain = ClientNetwork(address: [192, 0, 2, 1])
    #expect((plain.description, plain.aggregate.description) == ("192.0.2.1", "192.0.0.0/16"))
    #expect(plain.site == nil)
    let address: [UInt8] =
      [0x20, 0x01, 0x0D, 0xB8, 0x12, 0x34, 0, 5] + Array(repeating: 9, count: 8)
    let modern = ClientNetwork(address: address)
    #expect(modern.description == "2001:db8:1234:5::/64")
    #expect(modern.site?.description == "2001:db8:1234::/48")
    #expect(modern.site == modern.aggregate)
    #expect(modern.site != modern)
  }
}
