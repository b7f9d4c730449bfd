import Testing

@testable import PostgresClient

@Suite struct `Who uses which connection of a pool` {
  private let start = ContinuousClock.now
  private var limits = PostgresClientLimits()

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  private func pool(connections: Int = 2, waiting: Int = 10) -> ConnectionAdmission {
    var limits = limits
    (limits.connections, limits.waiting) = (connections, waiting)
    return ConnectionAdmission(limits)
  }

  @Test func `operations open connections up to the limit, wait in order, and share them`() {
    var pool = pool()
    #expect(pool.acquire(1, at: at(0)) == [.open(connection: 1)])
    #expect(pool.acquire(2, at: at(0)) == [.open(connection: 2)])
    #expect(pool.acquire(3, at: at(0)) == [])
    #expect(pool.opened(2) == [.grant(operation: 1, connection: 2)])
    #expect(pool.opened(1) == [.grant(operation: 2, connection: 1)])
    #expect(
      pool.release(2, isUsable: true, at: at(1)) == [.grant(operation: 3, connection: 2)]
    )
    #expect(pool.release(1, isUsable: true, at: at(1)) == [])
    #expect(pool.acquire(4, at: at(1)) == [.grant(operation: 4, connection: 1)])
    #expect(pool.connections == 2)
  }

  @Test func `an operation that leaves is refused once and gets no connection`() {
    var pool = pool(connections: 1)
    _ = pool.acquire(1, at: at(0))
    _ = pool.opened(1)
    _ = pool.acquire(2, at: at(0))
    _ = pool.acquire(3, at: at(0))
    #expect(pool.leave(2, .late) == [.refuse(operation: 2, .late)])
    #expect(pool.leave(2, .canceled) == [])
    #expect(pool.leave(1, .late) == [], "it has a connection")
    #expect(
      pool.release(1, isUsable: true, at: at(1)) == [.grant(operation: 3, connection: 1)]
    )
  }

  @Test func `beyond the limit of waiting operations one is refused at once`() {
    var pool = pool(connections: 1, waiting: 1)
    _ = pool.acquire(1, at: at(0))
    #expect(pool.acquire(2, at: at(0)) == [.refuse(operation: 2, .crowded)])
  }

  @Test func `without a server operations are refused at once until the next attempt`() {
    var pool = pool()
    _ = pool.acquire(1, at: at(0))
    #expect(
      pool.failed(1, at: at(0), sample: 1) == [.refuse(operation: 1, .unreachable)]
    )
    let pause = limits.leastReconnectSeconds
    #expect(
      pool.acquire(2, at: at(pause / 2)) == [.refuse(operation: 2, .unreachable)]
    )
    #expect(pool.acquire(3, at: at(pause)) == [.open(connection: 2)])
    // The next pause is twice as long.
    #expect(
      pool.failed(2, at: at(pause), sample: 1) == [.refuse(operation: 3, .unreachable)]
    )
    #expect(pool.acquire(4, at: at(pause * 2)) == [.refuse(operation: 4, .unreachable)])
    #expect(pool.acquire(5, at: at(pause * 3)) == [.open(connection: 3)])
    #expect(pool.opened(3) == [.grant(operation: 5, connection: 3)])
  }

  @Test func `while a connection is in use, a failure to open another one refuses nothing`() {
    var pool = pool()
    _ = pool.acquire(1, at: at(0))
    _ = pool.opened(1)
    _ = pool.acquire(2, at: at(0))
    #expect(pool.failed(2, at: at(0), sample: 0) == [])
    #expect(
      pool.release(1, isUsable: true, at: at(0)) == [.grant(operation: 2, connection: 1)]
    )
  }

  @Test func `a broken connection is closed and replaced for those that wait`() {
    var pool = pool(connections: 1)
    _ = pool.acquire(1, at: at(0))
    _ = pool.opened(1)
    _ = pool.acquire(2, at: at(0))
    #expect(
      pool.release(1, isUsable: false, at: at(1))
        == [.close(connection: 1), .open(connection: 2)]
    )
    #expect(pool.opened(2) == [.grant(operation: 2, connection: 2)])
    #expect(pool.lost(2) == [], "its operation releases it")
    #expect(pool.release(2, isUsable: true, at: at(2)) == [])
    #expect(pool.lost(2) == [.close(connection: 2)])
    #expect(pool.acquire(3, at: at(3)) == [.open(connection: 3)])
  }

  @Test func `a closed pool refuses everything and closes what comes back`() {
    var pool = pool()
    _ = pool.acquire(1, at: at(0))
    _ = pool.opened(1)
    _ = pool.acquire(2, at: at(0))
    #expect(pool.close() == [.refuse(operation: 2, .closed)])
    #expect(pool.opened(2) == [.close(connection: 2)])
    #expect(pool.release(1, isUsable: true, at: at(1)) == [.close(connection: 1)])
    #expect(pool.acquire(3, at: at(1)) == [.refuse(operation: 3, .closed)])
  }

  @Test func `pauses double up to the longest one and start again after a success`() {
    var delay = ReconnectDelay(limits)
    #expect(delay.failed(sample: 0) == .seconds(limits.leastReconnectSeconds / 2))
    #expect(delay.failed(sample: 1) == .seconds(limits.leastReconnectSeconds * 2))
    for _ in 0..<40 { _ = delay.failed(sample: 0) }
    #expect(delay.failed(sample: 1) == .seconds(limits.mostReconnectSeconds))
    delay.succeeded()
    #expect(delay.failed(sample: 1) == .seconds(limits.leastReconnectSeconds))
  }
}
