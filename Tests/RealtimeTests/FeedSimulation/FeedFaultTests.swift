import FeedSimulation
import GTFSRealtime
import Testing

@Suite struct FeedFaultTests {
  private let world = FeedWorld.test(.chaos)
  private let start = FeedWorld.test(.chaos).tick(.tripUpdates, at: TestNetwork.morning * 1_000)
    .number

  /// The first publication with a fault of a kind, after one without any.
  private func tick(_ kind: FeedFault.Kind) throws -> FeedTick {
    let number = try #require(
      (start..<start + 2_000).first { number in
        world.fault(of: number, in: .tripUpdates)?.kind == kind
          && world.fault(of: number - 1, in: .tripUpdates) == nil
      }
    )
    return world.tick(.tripUpdates, number: number)
  }

  @Test(arguments: FeedStream.allCases)
  func `Chaos has every kind of fault, and most publications have none`(_ stream: FeedStream) {
    let faults = (start..<start + 1_000).map { world.fault(of: $0, in: stream)?.kind }
    for kind in FeedFault.Kind.allCases {
      #expect(faults.filter { $0 == kind }.count > 20, "\(kind)")
    }
    #expect((450...650).contains(faults.filter { $0 == nil }.count))
  }

  @Test(arguments: [Scenario.calm, .rush, .storm])
  func `Other scenarios have no faults`(_ scenario: Scenario) {
    let world = FeedWorld.test(scenario)
    for stream in FeedStream.allCases {
      #expect((start..<start + 1_000).allSatisfy { world.fault(of: $0, in: stream) == nil })
    }
    let tick = world.tick(.tripUpdates, number: start)
    let answer = world.answer(.tripUpdates, at: tick.instant)
    #expect(answer.status == 200)
    #expect(answer.tick == tick)
    #expect(answer.nextInstant == tick.nextInstant)
    #expect(world.body(of: answer) == world.tripUpdates(of: tick))
  }

  @Test func `A late publication leaves the one before in place`() throws {
    let tick = try tick(.late)
    let early = world.answer(.tripUpdates, at: tick.instant)
    #expect(early.tick.number == tick.number - 1)
    #expect(early.nextInstant > tick.instant)
    #expect(world.body(of: early) == world.tripUpdates(of: early.tick))
    let long = (start..<start + 2_000).lazy.compactMap { number -> (FeedTick, Int64)? in
      guard case .late(let delay) = world.fault(of: number, in: .tripUpdates) else { return nil }
      let tick = world.tick(.tripUpdates, number: number)
      return tick.instant + delay < tick.nextInstant ? (tick, delay) : nil
    }
    let (punctual, delay) = try #require(long.first)
    let appeared = world.answer(.tripUpdates, at: punctual.instant + delay)
    #expect(appeared.tick == punctual)
    #expect(appeared.fault == nil)
  }

  @Test func `An empty answer has no bytes, and one without entities has a header`() throws {
    let empty = world.answer(.tripUpdates, at: try tick(.emptyBody).instant)
    #expect(empty.status == 200)
    #expect(world.body(of: empty).isEmpty)
    let bare = world.answer(.tripUpdates, at: try tick(.noEntities).instant)
    let feed = try TripUpdateFeed(protobuf: world.body(of: bare))
    #expect(feed.counters.total == 0)
    #expect(feed.header.timestamp == UInt64(bare.tick.sourceTime))
  }

  @Test func `A truncated answer is the beginning of the publication`() throws {
    let tick = try tick(.truncated)
    let whole = world.tripUpdates(of: tick)
    let body = world.body(of: world.answer(.tripUpdates, at: tick.instant))
    #expect(body.count < whole.count)
    #expect(!body.isEmpty)
    #expect(body.elementsEqual(whole.prefix(body.count)))
  }

  @Test func `A back-dated answer is an older publication`() throws {
    let tick = try tick(.backDated)
    let answer = world.answer(.tripUpdates, at: tick.instant)
    let feed = try TripUpdateFeed(protobuf: world.body(of: answer))
    let stamp = try #require(feed.header.timestamp)
    #expect(Int64(stamp) <= tick.sourceTime - 25)
  }

  @Test
  func `Refusals say how long to wait, server errors have no content, slow answers take time`()
    throws
  {
    let refused = world.answer(.tripUpdates, at: try tick(.tooManyRequests).instant)
    #expect(refused.status == 429)
    #expect((2...45).contains(refused.retryAfter ?? 0))
    #expect(world.body(of: refused).isEmpty)
    let failed = world.answer(.tripUpdates, at: try tick(.serverError).instant)
    #expect((500...504).contains(failed.status))
    #expect(world.body(of: failed).isEmpty)
    let slow = world.answer(.tripUpdates, at: try tick(.slow).instant)
    #expect(slow.status == 200)
    #expect((2_000...20_000).contains(slow.wait))
    #expect(world.body(of: slow) == world.tripUpdates(of: slow.tick))
  }

  @Test func `What is wrong with an answer is wrong until the next publication`() throws {
    for kind in FeedFault.Kind.allCases where kind != .late {
      let tick = try tick(kind)
      let first = world.answer(.tripUpdates, at: tick.instant)
      #expect(first.fault?.kind == kind)
      #expect(first.nextInstant == tick.nextInstant)
      #expect(world.answer(.tripUpdates, at: tick.nextInstant - 1) == first)
      #expect(world.answer(.tripUpdates, at: tick.nextInstant) != first)
    }
  }
}
