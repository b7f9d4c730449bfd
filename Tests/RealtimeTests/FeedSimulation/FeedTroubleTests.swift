import FeedSimulation
import GTFSRealtime
import Testing

@Suite struct FeedTroubleTests {
  private let world = FeedWorld.test(.rush)
  private let now = TestNetwork.morning * 1_000

  @Test func `A clock that is ahead moves the stamp of the header and nothing else`() throws {
    for stream in FeedStream.allCases {
      let answer = world.answer(stream, at: now)
      let whole = world.body(of: answer)
      let ahead = world.body(of: answer.inTrouble(.ahead(86_400)))
      #expect(ahead.count == whole.count)
      #expect((1...5).contains(zip(whole, ahead).filter { $0 != $1 }.count))
      #expect(FeedWorld.stamped(ahead, ahead: -86_400) == whole)
    }
    let answer = world.answer(.tripUpdates, at: now).inTrouble(.ahead(86_400))
    let feed = try TripUpdateFeed(protobuf: world.body(of: answer))
    #expect(feed.header.timestamp == UInt64(answer.tick.sourceTime + 86_400))
    #expect(answer.status == 200)
  }

  @Test func `Half a feed is its first half, and no feed`() {
    let answer = world.answer(.tripUpdates, at: now)
    let whole = world.body(of: answer)
    let half = world.body(of: answer.inTrouble(.half))
    #expect(half == Array(whole.prefix(whole.count / 2)))
  }

  @Test func `A producer that is down answers 503 until it is mended`() {
    let answer = world.answer(.alerts, at: now).inTrouble(.unavailable)
    #expect(answer.status == 503)
    #expect(world.body(of: answer).isEmpty)
    #expect(world.answer(.alerts, at: now).status == 200)
  }
}
