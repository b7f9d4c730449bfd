import Serving
import Testing

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
}
