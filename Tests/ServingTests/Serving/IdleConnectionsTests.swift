import NIOCore
import NIOEmbedded
import Testing

@testable import Serving

@Suite struct `Idle connections` {
  private static func channel(_ address: String) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
    // A channel is active once it is connected, and only then can it be closed.
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 2)).wait()
    channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
    return channel
  }

  @Test func `of the network with the most of them the longest idle one goes first`() throws {
    let idle = IdleConnections()
    let alone = try Self.channel("192.0.2.1")
    let crowd = try (0..<3).map { try Self.channel("2001:db8::\($0 + 1)") }
    for channel in [alone] + crowd { idle.insert(channel) }
    // Idle again, after another request.
    idle.insert(crowd[0])
    var left: [Int] = []
    for _ in 0..<4 {
      let isOne = idle.closeOne()
      #expect(isOne)
      left.append(([alone] + crowd).count { $0.isActive })
    }
    #expect(left == [3, 2, 1, 0])
    let isNone = idle.closeOne()
    #expect(!isNone)
  }

  @Test func `one with a request in progress stays`() throws {
    let idle = IdleConnections()
    let channels = try (0..<3).map { _ in try Self.channel("192.0.2.1") }
    for channel in channels { idle.insert(channel) }
    idle.remove(channels[0])
    let isFirst = idle.closeOne()
    let isSecond = idle.closeOne()
    let isThird = idle.closeOne()
    #expect(isFirst && isSecond && !isThird)
    #expect(channels.map(\.isActive) == [true, false, false])
  }

  @Test func `the order is that of becoming idle`() throws {
    let idle = IdleConnections()
    let channels = try (0..<3).map { _ in try Self.channel("192.0.2.1") }
    for channel in channels { idle.insert(channel) }
    idle.insert(channels[0])
    let isOne = idle.closeOne()
    #expect(isOne)
    #expect(channels.map(\.isActive) == [true, false, true])
  }
}
