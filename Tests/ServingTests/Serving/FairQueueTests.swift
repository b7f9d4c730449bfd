import Testing

@testable import Serving

/// Requests that wait for their turn.
@Suite struct FairQueueTests {
  private let one = ClientNetwork(address: [10, 0, 0, 1])
  private let other = ClientNetwork(address: [10, 0, 0, 2])

  /// Turns for one at a time, with another client that asks.
  private func contested() -> FairQueue {
    let turns = FairQueue(processors: 2)
    #expect(turns.take(other) == nil)
    return turns
  }

  @Test func `a request that waits runs when the one before it ends, also if that is sooner`()
    async throws
  {
    let turns = contested()
    #expect(turns.take(one) == nil)
    let second = try #require(turns.take(one))
    let third = try #require(turns.take(one))
    // It is called before it waits.
    turns.leave(one)
    try await turns.wait(second, one)
    #expect(turns.waiting == 1)
    async let waits: Void = turns.wait(third, one)
    turns.leave(one)
    try await waits
    #expect(turns.waiting == 0)
    turns.leave(one)
    #expect(turns.take(one) == nil)
  }

  @Test func `a request whose client is gone gives its place to the next one`() async throws {
    let turns = contested()
    #expect(turns.take(one) == nil)
    let second = try #require(turns.take(one))
    let third = try #require(turns.take(one))
    let gone = Task { try await turns.wait(second, one) }
    gone.cancel()
    await #expect(throws: CancellationError.self) { try await gone.value }
    #expect(turns.waiting == 1)
    turns.leave(one)
    try await turns.wait(third, one)
  }

  @Test func `a request that waits for news gives its turn away, and takes one again`() async throws
  {
    let turns = contested()
    let turn = FairQueuePermit(turns, one)
    try await turn.take()
    try await FairQueuePermit.$current.withValue(turn) {
      #expect(turns.take(one) != nil)
      let value = try await FairQueuePermit.pause {
        // The one that waited runs meanwhile, and ends.
        turns.leave(one)
        #expect(turns.take(one) == nil)
        turns.leave(one)
        return 7
      }
      #expect(value == 7)
      #expect(turns.take(one) != nil)
    }
    turn.leave()
    turn.leave()
    #expect(turns.waiting == 0)
  }
}
