import NIOCore
import NIOEmbedded
import Testing

@testable import Serving

@Suite struct `The connections of a network` {
  private let metrics = ConnectionMetrics()
  private let shares: ConnectionShares
  private let loop = EmbeddedEventLoop()

  init() {
    var limits = ServerLimits()
    (limits.connections, limits.networkPercent) = (8, 75)
    shares = ConnectionShares(limits: limits, proxies: TrustedProxies([]), metrics: metrics)
  }

  /// A connection that was accepted, and whether it stays.
  private func accept(
    _ address: String = "192.0.2.1"
  ) throws -> (
    channel: EmbeddedChannel, stays: Bool
  ) {
    let channel = EmbeddedChannel(loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: address, port: 2)).wait()
    channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
    let stays = shares.enter(channel)
    if stays {
      try channel.pipeline.syncOperations.addHandler(IdleConnectionHandler(metrics.idle))
    }
    return (channel, stays)
  }

  @Test func `one that is refused gives no place to the next one`() throws {
    for _ in 0..<6 {
      let (channel, stays) = try accept()
      #expect(stays)
      // A request is in progress.
      metrics.idle.remove(channel)
    }
    // The event loop is late: none of them is closed when the next one comes.
    let refused = try (0..<3).map { _ in try accept() }
    #expect(refused.map(\.stays) == [false, false, false])
    #expect(refused.map(\.channel.isActive) == [true, true, true])
    loop.run()
    #expect(refused.map(\.channel.isActive) == [false, false, false])
    // Others are let in all the while.
    let other = try accept("198.51.100.1")
    #expect(other.stays)
  }

  @Test func `an idle one gives its place to the next one`() throws {
    let first = try (0..<6).map { _ in try accept() }
    let next = try accept()
    #expect(next.stays)
    loop.run()
    #expect(first.map(\.channel.isActive) == [false, true, true, true, true, true])
    #expect(next.channel.isActive)
  }
}
