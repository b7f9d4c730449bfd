import FreshResponses
import FreshnessServer
import Jobs
import Testing

@testable import JobsServer

@Suite struct `The stream of a job` {
  /// A job in a store, and a subscription.
  private struct Stage {
    let stage: StoreStage
    let store: any JobStore
    let broadcaster: JobEventBroadcaster
    let lease: JobLease
    let subscription: JobSubscription

    init(_ change: (inout JobLimits) -> Void = { _ in }) async throws {
      stage = try await StoreStage(.sqlite)
      store = try await stage.open(change)
      broadcaster = JobEventBroadcaster(limits: store.limits)
      lease = try await store.runJob()
      subscription = try #require(broadcaster.listen(to: lease.job))
    }

    var row: JobRow {
      get async throws { try #require(try await store.job(lease.job)) }
    }

    func stream(_ beginning: JobStream.Beginning) async throws -> JobStream {
      JobStream(try await row, in: store, subscription, beginning)
    }

    func steps(_ count: Int) async throws -> [JobEvent] {
      var events: [JobEvent] = []
      for number in 0..<count { events.append(try await store.step(lease, processed: number).0) }
      return events
    }

    func end() async throws -> JobEvent {
      _ = try await store.end(lease, .succeed)
      return try #require(try await store.events(lease.job).last)
    }
  }

  /// What a part says: the numbers of events, 0 for the state in their place, -1 for the state before them.
  private func numbers(_ part: StreamPart<JobStreamUpdate>?) throws -> [Int64] {
    try #require(part).messages.map { update in
      if case .status(_, let isRecovered) = update { return isRecovered ? -1 : 0 }
      return update.event?.position.seq ?? .max
    }
  }

  private func id(_ stream: JobStream, _ number: Int64) -> String {
    stream.start.split(separator: "-")[0] + "-\(number)"
  }

  @Test func `reads from the store what did not come to the queue`() async throws {
    let stage = try await Stage()
    var stream = try await stage.stream(.missed(after: nil, hasStatus: false))
    #expect(try await stream.state()?.version?.number == 1)
    #expect(try numbers(try await stream.changes(since: stream.start)) == [1])
    let events = try await stage.steps(3)
    stage.broadcaster.publish(events[2], of: stage.lease.job)
    #expect(try await stream.state()?.version?.number == 4)
    #expect(try numbers(try await stream.changes(since: id(stream, 1))) == [2, 3, 4])
    #expect(try await stream.heartbeat() == nil, "something was sent since the last one")
    guard case .alive? = try await stream.heartbeat() else {
      Issue.record("no sign of life")
      return
    }
    // An event that is not announced is found by the heartbeat, which wakes the stream.
    var updates = stage.subscription.updates().makeAsyncIterator()
    #expect(await updates.next() != nil)
    _ = try await stage.steps(1)
    #expect(try await stream.state()?.version?.number == 4)
    #expect(try await stream.heartbeat() == nil)
    #expect(await updates.next() != nil)
    #expect(try await stream.state()?.version?.number == 5)
    #expect(try numbers(try await stream.changes(since: id(stream, 4))) == [5])
    stage.broadcaster.publish(try await stage.end(), of: stage.lease.job)
    let newest = try #require(try await stream.state())
    #expect(newest.isFinal)
    let part = try #require(try await stream.changes(since: id(stream, 5)))
    #expect(try numbers(part) == [6])
    #expect(part.state.id == newest.id)
    #expect(part.state.isFinal)
  }

  @Test func `sends one waiting event after the other, and none twice`() async throws {
    let stage = try await Stage()
    var stream = try await stage.stream(.missed(after: nil, hasStatus: true))
    for event in try await stage.steps(2) { stage.broadcaster.publish(event, of: stage.lease.job) }
    _ = try await stream.state()
    // The start was there before the subscription.
    #expect(try numbers(try await stream.changes(since: stream.start)) == [0, 1, 2, 3])
    for event in try await stage.steps(2) { stage.broadcaster.publish(event, of: stage.lease.job) }
    _ = try await stream.state()
    let part = try #require(try await stream.changes(since: id(stream, 3)))
    #expect(try numbers(part) == [4])
    #expect(part.hasMore)
    #expect(part.state.changedAt != nil)
    let last = try #require(try await stream.changes(since: id(stream, 4)))
    #expect(try numbers(last) == [5])
    #expect(!last.hasMore)
  }

  @Test func `says the state in place of too many events`() async throws {
    let stage = try await Stage { $0.replayedEvents = 2 }
    _ = try await stage.steps(3)
    var stream = try await stage.stream(.missed(after: nil, hasStatus: true))
    _ = try await stream.state()
    #expect(try await stream.changes(since: stream.start) == nil)
    let part = try #require(try await stream.snapshot(afterReset: true))
    #expect(try numbers(part) == [0])
    #expect(part.state.version?.number == 4)
    let end = try await stage.end()
    var late = try await stage.stream(.missed(after: nil, hasStatus: true))
    _ = try await late.state()
    let whole = try #require(try await late.snapshot(afterReset: true))
    #expect(try numbers(whole) == [0, end.position.seq])
    #expect(whole.state.isFinal)
  }

  @Test func `says where a job is to a subscription that has all of it`() async throws {
    let stage = try await Stage()
    var stream = try await stage.stream(
      .missed(after: try await stage.row.position, hasStatus: true)
    )
    #expect(stream.verifies)
    #expect(try await stream.state()?.id == stream.start)
    #expect(try numbers(try await stream.verification()) == [-1])
    let end = try await stage.end()
    var over = try await stage.stream(.missed(after: end.position, hasStatus: true))
    #expect(try await over.state()?.isFinal == true)
    let part = try #require(try await over.verification())
    #expect(try numbers(part) == [-1, end.position.seq])
    #expect(part.state.isFinal)
  }

  @Test func `a digest has the start and the newest, then each event`() async throws {
    let stage = try await Stage()
    _ = try await stage.steps(4)
    var stream = try await stage.stream(.digest)
    _ = try await stream.state()
    #expect(try numbers(try await stream.changes(since: stream.start)) == [1, 5])
    for event in try await stage.steps(1) { stage.broadcaster.publish(event, of: stage.lease.job) }
    #expect(try numbers(try await stream.changes(since: id(stream, 5))) == [6])
    let end = try await stage.end()
    var late = try await stage.stream(.digest)
    _ = try await late.state()
    let part = try #require(try await late.changes(since: late.start))
    #expect(try numbers(part) == [1, end.position.seq - 1, end.position.seq])
    #expect(part.state.isFinal)
  }

  @Test func `ends once the results are gone`() async throws {
    let stage = try await Stage { $0.resultSeconds = 0 }
    var stream = try await stage.stream(.missed(after: nil, hasStatus: false))
    var late = stream
    _ = try await stream.state()
    _ = try await stage.end()
    await #expect(throws: StreamResourceGone.self) { _ = try await stream.heartbeat() }
    await #expect(throws: StreamResourceGone.self) { _ = try await late.state() }
  }
}
