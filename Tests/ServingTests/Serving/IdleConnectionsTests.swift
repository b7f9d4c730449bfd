import NIOCore
import NIOEmbedded
import Synchronization
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

  /// Whether a connection is closed at once.
  private static func closes(_ idle: IdleConnections) -> Bool {
    let count = Mutex(0)
    idle.makeRoom(while: { false }, closed: { count.withLock { $0 += 1 } })
    return count.withLock { $0 } == 1
  }

  @Test func `of the network with the most of them the longest idle one goes first`() throws {
    let idle = IdleConnections(rest: .zero)
    let alone = try Self.channel("192.0.2.1")
    let crowd = try (0..<3).map { try Self.channel("2001:db8::\($0 + 1)") }
    for channel in [alone] + crowd { idle.insert(channel) }
    // Idle again, after another request.
    idle.insert(crowd[0])
    var left: [Int] = []
    for _ in 0..<4 {
      let isOne = Self.closes(idle)
      #expect(isOne)
      left.append(([alone] + crowd).count { $0.isActive })
    }
    #expect(left == [3, 2, 1, 0])
    let isNone = Self.closes(idle)
    #expect(!isNone)
  }

  @Test func `one with a request in progress stays`() throws {
    let idle = IdleConnections(rest: .zero)
    let channels = try (0..<3).map { _ in try Self.channel("192.0.2.1") }
    for channel in channels { idle.insert(channel) }
    idle.remove(channels[0])
    let isFirst = Self.closes(idle)
    let isSecond = Self.closes(idle)
    let isThird = Self.closes(idle)
    #expect(isFirst && isSecond && !isThird)
    #expect(channels.map(\.isActive) == [true, false, false])
  }

  @Test func `the order is that of becoming idle`() throws {
    let idle = IdleConnections(rest: .zero)
    let channels = try (0..<3).map { _ in try Self.channel("192.0.2.1") }
    for channel in channels { idle.insert(channel) }
    idle.insert(channels[0])
    let isOne = Self.closes(idle)
    #expect(isOne)
    #expect(channels.map(\.isActive) == [true, false, true])
  }

  @Test func `one that has just become idle is closed later, if its place is still needed`() throws
  {
    for isNeeded in [true, false] {
      let idle = IdleConnections(rest: .seconds(1))
      let channel = try Self.channel("192.0.2.1")
      idle.insert(channel)
      idle.makeRoom(while: { isNeeded }, closed: {})
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
      #expect(channel.isActive)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
      #expect(channel.isActive != isNeeded)
    }
  }

  @Test func `a request that comes in time keeps the connection`() throws {
    let idle = IdleConnections(rest: .seconds(1))
    let channel = try Self.channel("192.0.2.1")
    idle.insert(channel)
    idle.makeRoom(while: { true }, closed: {})
    idle.remove(channel)
    channel.embeddedEventLoop.advanceTime(by: .seconds(5))
    #expect(channel.isActive)
  }

  @Test func `where all are busy, the first that is idle again for long enough is closed`() throws {
    let idle = IdleConnections(rest: .seconds(1))
    let channel = try Self.channel("192.0.2.1")
    idle.makeRoom(while: { true }, closed: {})
    channel.embeddedEventLoop.advanceTime(by: .seconds(5))
    idle.insert(channel)
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `others follow while places are needed`() throws {
    let idle = IdleConnections(rest: .zero)
    let channels = try (0..<5).map { _ in try Self.channel("192.0.2.1") }
    for channel in channels { idle.insert(channel) }
    idle.makeRoom(while: { channels.count { $0.isActive } > 2 }, closed: {})
    for channel in channels { channel.embeddedEventLoop.run() }
    #expect(channels.map(\.isActive) == [false, false, false, true, true])
  }
}
