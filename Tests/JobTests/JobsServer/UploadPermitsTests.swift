import Testing

@testable import JobsServer
@testable import Serving

@Suite struct UploadPermitsTests {
  @Test func `requests and their bytes are bounded together, and given back`() async throws {
    let permits = UploadPermits(most: 2, mostBytes: 100, mostWaiting: 0)
    var first = await permits.acquire(within: .seconds(60))
    let second = try #require(await permits.acquire(within: .seconds(60)))
    // No upload may wait, so none does.
    #expect(await permits.acquire(within: .seconds(60)) == nil)
    #expect(first?.reserve(70) == true)
    #expect(second.reserve(30))
    #expect(!second.reserve(1))
    first = nil
    #expect(second.reserve(70))
    let third = try #require(await permits.acquire(within: .seconds(60)))
    #expect(!third.reserve(1))
  }

  @Test func `who finds no room waits for a turn, in order, and not for ever`() async throws {
    let permits = UploadPermits(most: 1, mostBytes: 100, mostWaiting: 2)
    var held: UploadPermit? = await permits.acquire(within: .zero)
    #expect(held != nil)
    let (turns, turn) = AsyncStream.makeStream(of: (Int, UploadPermit?).self)
    for number in 0..<2 {
      Task { turn.yield((number, await permits.acquire(within: .seconds(600)))) }
      while permits.waitingCount <= number { await Task.yield() }
    }
    // Two wait, and no third one may.
    #expect(await permits.acquire(within: .seconds(600)) == nil)
    held = nil
    var order: [Int] = []
    for await (number, permit) in turns {
      #expect(permit != nil)
      order.append(number)
      // The permit goes on when this one is given back, at the end of this turn.
      if order.count == 2 { break }
    }
    #expect(order == [0, 1])

    held = await permits.acquire(within: .seconds(600))
    #expect(held != nil)
    #expect(await permits.acquire(within: .milliseconds(1)) == nil)
    let canceled = Task { await permits.acquire(within: .seconds(600)) }
    while permits.waitingCount == 0 { await Task.yield() }
    canceled.cancel()
    #expect(await canceled.value == nil)
    #expect(permits.waitingCount == 0)
    held = nil
    #expect(await permits.acquire(within: .zero) != nil)
  }

  @Test func `what is read and what waits is measured`() async throws {
    func measured(_ permits: UploadPermits) -> [String] {
      var metrics = MetricsText()
      permits.write(to: &metrics)
      return metrics.text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }
    let permits = UploadPermits(most: 1, mostBytes: 100, mostWaiting: 2)
    do {
      var held: UploadPermit? = await permits.acquire(within: .zero)
      #expect(held?.reserve(70) == true)
      let waits = Task { await permits.acquire(within: .seconds(600)) }
      while permits.waitingCount == 0 { await Task.yield() }
      try await Task.sleep(for: .milliseconds(2))
      let lines = measured(permits)
      #expect(
        lines.prefix(3) == [
          #"freshet_jobs_uploads{state="reading"} 1"#, #"freshet_jobs_uploads{state="waiting"} 1"#,
          "freshet_jobs_upload_bytes 70",
        ]
      )
      let oldest = try #require(lines.last?.split(separator: " ").last.flatMap { Double($0) })
      #expect(oldest >= 0.002)
      held = nil
      #expect(await waits.value != nil)
      #expect(measured(permits).last == "freshet_jobs_uploads_oldest_waiting_seconds 0")
    }
    // The task that waited is gone, and its permit with it.
    while measured(permits).first != #"freshet_jobs_uploads{state="reading"} 0"# {
      await Task.yield()
    }
  }

  @Test func `a client that fills all places leaves some to others, and others are read first`()
    async throws
  {
    let queue = AdmissionQueue(
      .init(processors: 2, ofNetwork: 1, ofAll: 4),
      limits: AdmissionLimits()
    )
    let (one, other) = (
      ClientNetwork(address: [10, 0, 0, 1]), ClientNetwork(address: [10, 0, 0, 2])
    )
    let permits = UploadPermits(most: 8, mostBytes: 100, mostWaiting: 8)
    func acquire(_ network: ClientNetwork) async -> UploadPermit? {
      let admission = AdmissionPermit(queue, network, percent: 75, route: nil)
      return await AdmissionPermit.$current.withValue(admission) {
        await permits.acquire(within: .seconds(600))
      }
    }
    var held: [UploadPermit] = []
    for _ in 0..<6 { held.append(try #require(await acquire(one))) }
    let (turns, turn) = AsyncStream.makeStream(of: (ClientNetwork, UploadPermit?).self)
    // The seventh one waits, and others are read at once, until all places are taken.
    Task { turn.yield((one, await acquire(one))) }
    while permits.waitingCount < 1 { await Task.yield() }
    for _ in 0..<2 { held.append(try #require(await acquire(other))) }
    Task { turn.yield((other, await acquire(other))) }
    while permits.waitingCount < 2 { await Task.yield() }
    // A place goes to the client with fewer, although the other one came first.
    held.removeFirst()
    var next = turns.makeAsyncIterator()
    let first = await next.next()
    #expect(first?.0 == other)
    #expect(permits.waitingCount == 1)
    turn.finish()
    withExtendedLifetime((held, first)) {}
  }

  @Test func `jobs run of who has fewest running, the oldest first`() {
    let (one, other) = (
      ClientNetwork(address: [10, 0, 0, 1]), ClientNetwork(address: [10, 0, 0, 2])
    )
    #expect(JobRunner.next([], running: [one]) == nil)
    #expect(JobRunner.next([one, one, other], running: []) == 0)
    #expect(JobRunner.next([one, one, other], running: [one]) == 2)
    #expect(JobRunner.next([one, other, other], running: [one, other]) == 0)
    #expect(JobRunner.next([one, nil], running: [one, one, nil]) == 1)
  }
}
