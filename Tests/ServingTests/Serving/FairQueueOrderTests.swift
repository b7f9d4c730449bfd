import Testing

@testable import Serving

/// Whose request runs next.
@Suite struct FairQueueOrderTests {
  private let one = ClientNetwork(address: [10, 0, 0, 1])
  private let other = ClientNetwork(address: [10, 0, 0, 2])

  /// An order, to be changed where it is asked.
  private final class Order {
    private var order: FairQueueOrder<Int>

    init(_ most: Int) { order = FairQueueOrder(most: most, memory: 60) }

    var isContested: Bool { order.isContested }
    var waiting: Int { order.waiting }

    func enter(_ network: ClientNetwork?, _ ticket: Int, now: Double) -> Bool {
      order.enter(network, ticket, now: now)
    }

    func leave(_ network: ClientNetwork?, now: Double) -> [Int] { order.leave(network, now: now) }

    func abandon(_ network: ClientNetwork?, _ ticket: Int) { order.abandon(network, ticket) }
  }

  private func order(_ most: Int = 1) -> Order { Order(most) }

  @Test func `while one client asks, all its requests run`() {
    let order = order()
    for number in 0..<100 { #expect(order.enter(one, number, now: 0)) }
    #expect(order.waiting == 0)
    for _ in 0..<100 { #expect(order.leave(one, now: 1).isEmpty) }
    #expect(order.enter(one, 100, now: 1_000))
  }

  @Test func `while several clients ask, each has so many that run, and the others wait in order`()
  {
    let order = order(2)
    #expect(order.enter(other, 0, now: 0))
    #expect((1...5).map { order.enter(one, $0, now: 1) } == [true, true, false, false, false])
    #expect(order.enter(other, 6, now: 1))
    #expect(!order.enter(other, 7, now: 1))
    #expect(order.leave(one, now: 2) == [3])
    #expect(order.leave(one, now: 2) == [4])
    #expect(order.leave(other, now: 2) == [7])
    #expect(order.leave(one, now: 2) == [5])
    #expect(order.leave(one, now: 2).isEmpty)
    #expect(order.waiting == 0)
  }

  @Test func `a client that comes when another has many under way runs at once`() {
    let order = order()
    for number in 0..<64 { #expect(order.enter(one, number, now: 0)) }
    #expect(order.enter(other, 64, now: 0))
    // From now on the many wait for each other.
    #expect(!order.enter(one, 65, now: 0))
    for _ in 0..<63 { #expect(order.leave(one, now: 0).isEmpty) }
    #expect(order.leave(one, now: 0) == [65])
  }

  @Test func `a request does not pass those that wait already`() {
    let order = order()
    #expect(order.enter(other, 0, now: 0))
    #expect(order.enter(one, 1, now: 0))
    #expect(!order.enter(one, 2, now: 0))
    #expect(order.leave(one, now: 0) == [2])
    #expect(!order.enter(one, 3, now: 0))
    #expect(order.leave(one, now: 0) == [3])
  }

  @Test func `a client that has not asked for a minute leaves the processors to the others`() {
    let order = order()
    #expect(order.enter(other, 0, now: 0))
    #expect(order.enter(one, 1, now: 1))
    #expect((2...4).map { order.enter(one, $0, now: 1) } == [false, false, false])
    #expect(order.leave(other, now: 2).isEmpty)
    #expect(order.leave(one, now: 60) == [2])
    #expect(order.isContested)
    // All that wait run at once.
    #expect(order.leave(one, now: 62) == [3, 4])
    #expect(!order.isContested)
    #expect(order.enter(one, 5, now: 62))
  }

  @Test func `a client with a request under way is not forgotten`() {
    let order = order()
    #expect(order.enter(other, 0, now: 0))
    #expect(order.enter(one, 1, now: 100))
    #expect(!order.enter(one, 2, now: 100))
  }

  @Test func `a request that is not wanted any more is left out`() {
    let order = order()
    #expect(order.enter(other, 0, now: 0))
    #expect((1...3).map { order.enter(one, $0, now: 0) } == [true, false, false])
    order.abandon(one, 2)
    #expect(order.leave(one, now: 0) == [3])
    // Clients without a network count as one client.
    #expect(order.enter(nil, 4, now: 0))
    #expect(!order.enter(nil, 5, now: 0))
  }
}
