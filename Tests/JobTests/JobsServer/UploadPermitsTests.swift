import Testing

@testable import JobsServer

@Suite struct UploadPermitsTests {
  @Test func `requests and their bytes are bounded together, and given back`() async throws {
    let permits = UploadPermits(most: 2, mostBytes: 100, mostWaiting: 0)
    var first = await permits.take(within: .seconds(60))
    let second = try #require(await permits.take(within: .seconds(60)))
    // Nobody may wait: so nobody does.
    #expect(await permits.take(within: .seconds(60)) == nil)
    #expect(first?.reserve(70) == true)
    #expect(second.reserve(30))
    #expect(!second.reserve(1))
    first = nil
    #expect(second.reserve(70))
    let third = try #require(await permits.take(within: .seconds(60)))
    #expect(!third.reserve(1))
  }

  @Test func `who finds no room waits for a turn, in order, and not for ever`() async throws {
    let permits = UploadPermits(most: 1, mostBytes: 100, mostWaiting: 2)
    var held: UploadPermit? = await permits.take(within: .zero)
    #expect(held != nil)
    let (turns, turn) = AsyncStream.makeStream(of: (Int, UploadPermit?).self)
    for number in 0..<2 {
      Task { turn.yield((number, await permits.take(within: .seconds(600)))) }
      while permits.waitingCount <= number { await Task.yield() }
    }
    // Two wait, and no third one may.
    #expect(await permits.take(within: .seconds(600)) == nil)
    held = nil
    var order: [Int] = []
    for await (number, permit) in turns {
      #expect(permit != nil)
      order.append(number)
      // The permit goes on when this one is given back, at the end of this turn.
      if order.count == 2 { break }
    }
    #expect(order == [0, 1])

    held = await permits.take(within: .seconds(600))
    #expect(held != nil)
    #expect(await permits.take(within: .milliseconds(1)) == nil)
    let canceled = Task { await permits.take(within: .seconds(600)) }
    while permits.waitingCount == 0 { await Task.yield() }
    canceled.cancel()
    #expect(await canceled.value == nil)
    #expect(permits.waitingCount == 0)
    held = nil
    #expect(await permits.take(within: .zero) != nil)
  }
}
