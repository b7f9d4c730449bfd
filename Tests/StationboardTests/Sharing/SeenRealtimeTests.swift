import FreshnessRuntime
import FreshnessServer
import FreshnessTesting
import HTTPTypes
import Logging
import NIOCore
import PostgresClient
import PostgresCluster
import Serving
import Synchronization
import Testing

@testable import StationboardServer

/// Streams of clients that have seen something at another server (rule SR8).
@Suite(.timeLimit(.minutes(5))) struct SeenRealtimeTests {
  private static let stages = Atomic(0)

  /// A server that shares one source, and what it was given.
  private struct Stage {
    let clock = ServiceClock(startingAt: Double(SourceStage.start) + 30)
    let store: FeedStore
    let source: RealtimeSource
    let sharing: RealtimeSharing
    let feeds: RealtimeFeeds
    let probe: ServiceProbe

    init(schema: String = "nowhere", waits: Duration = .milliseconds(1)) throws {
      store = try SampleFeed.store(StormNetwork.folder)
      source = RealtimeSource(
        kind: .tripUpdates,
        request: HTTPRequest(method: .get, scheme: "http", authority: "producer", path: "/a.pb")
      )
      var limits = LeadershipLimits()
      limits.readWait = waits
      // Many tests share one database, and the processors with others.
      limits.publishWithin = .seconds(60)
      sharing = RealtimeSharing(
        try PostgresAddress(PostgresCluster.uri),
        limits: limits,
        name: "one",
        schema: schema,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      )
      feeds = RealtimeFeeds(
        sources: [source],
        store: store,
        exchange: ScriptedExchange { _ in .held },
        clock: clock,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        sharing: sharing
      )
      probe = ServiceProbe(store: store, clock: clock, realtime: feeds)
    }

    /// Shows a publication, as if it had been read.
    func show(_ position: Int64, delay: Int, at seconds: Int64) async {
      let publication = SharedPublication(
        id: position,
        fetchedAt: Double(SourceStage.start + seconds),
        contentType: "application/x-protobuf",
        content: SourceStage.feed(delay: delay, at: SourceStage.start + seconds)
      )
      await feeds.apply(publication, at: position, from: source)
      sharing.progressed(to: PublicationCursor.Mark(position: position, source: "a", fence: 1))
      feeds.notify()
    }

    /// Whether a stream says that it is behind.
    func isBehind(_ more: String = "", last: String? = nil) async throws -> Bool {
      let answer = try await probe.get(
        "/api/stationboard/stream?stop_id=S0&window_minutes=60\(more)",
        method: .head,
        headers: last.map { [.lastEventID: $0] } ?? [:]
      )
      #expect(answer.status == 200)
      return answer.headers[.mdRealtimeBehind] == "1"
    }

    /// The events of a stream whose client has seen a position that is not here.
    func events(seen position: Int64) throws -> BoardEvents {
      let feed = try #require(store.feeds.first)
      let stop = try #require(StopResolver(feeds: [feed]).resolve("S0"))
      return BoardEvents(
        renderer: BoardRenderer(realtime: feeds, clock: clock),
        clock: clock,
        faults: PhaseFaults(),
        asked: BoardRequest(stop: stop, limit: 10, window: 60),
        requestId: "r",
        held: (SeenRealtime(position: position), .now)
      )
    }
  }

  @Test func `a stream says that it does not have what its client has seen`() async throws {
    let stage = try Stage()
    await stage.show(5, delay: 300, at: 0)
    #expect(try await !stage.isBehind())
    #expect(try await !stage.isBehind(last: "\"x.5\""))
    #expect(try await stage.isBehind(last: "\"x.6\""))
    // An id without a position says nothing of it.
    #expect(try await !stage.isBehind(last: "\"x\""))
    #expect(try await !stage.isBehind("&since_rt=2026-10-20T06:30:05Z"))
    #expect(try await stage.isBehind("&since_rt=2026-10-20T06:30:15Z"))
    // The address of a stream that is opened again has the instant of its beginning, or none that counts.
    #expect(try await !stage.isBehind("&since_rt=2026-10-20T06:30:15Z", last: "\"x.5\""))
    #expect(try await stage.isBehind("&since_rt=2026-10-20T06:30:05Z", last: "\"x.6\""))
  }

  @Test func `a stream waits for what its client has seen`() async throws {
    let stage = try Stage(waits: .seconds(600))
    await stage.show(5, delay: 300, at: 0)
    let feed = try #require(stage.store.feeds.first)
    let renderer = BoardRenderer(realtime: stage.feeds, clock: stage.clock)
    let serving = ResourceServing(observesShutdown: false)
    async let isMissing = SeenRealtime(position: 6).isMissing(renderer, feed, serving)
    try await Patience.wait("the wait") { serving.limiter.waiting == 1 }
    await stage.show(6, delay: 360, at: 10)
    #expect(try await !isMissing)
    #expect(serving.limiter.waiting == 0)
  }

  @Test func `a stream that is behind sends no board before it has what its client has seen`()
    async throws
  {
    let stage = try Stage()
    await stage.show(5, delay: 300, at: 0)
    var events = try stage.events(seen: 7)
    #expect(try await events.state() == nil)
    #expect(events.absence().map { String(buffer: $0) } == ": behind\n\n")
    var updates = events.updates().makeAsyncIterator()
    await stage.show(6, delay: 360, at: 10)
    #expect(try await events.state() == nil)
    await stage.show(7, delay: 420, at: 20)
    while try await events.state() == nil { _ = await updates.next() }
    let part = try #require(try await events.snapshot(afterReset: false))
    let text = String(buffer: try #require(part.messages.first))
    #expect(text.contains(/event: snapshot\nid: "[0-9a-z]+\.7"\n/))
    #expect(text.contains("\"rawDelaySec\":420"))
  }

  @Test func `a position that the database does not have holds no stream`() async throws {
    let schema = "seen\(Self.stages.add(1, ordering: .relaxed).newValue)"
    let owner = try await PostgresCluster.connectAsOwner()
    _ = try await PostgresSchema.realtime(name: schema).migrate(owner, grantingTo: [])
    await owner.close()
    let stage = try Stage(schema: schema)
    let before = ContinuousClock.now
    var events = try stage.events(seen: 7)
    var updates = events.updates().makeAsyncIterator()
    // What was asked before the client came says nothing of what the client has seen.
    stage.sharing.checked(0, at: before, into: stage.feeds)
    try await Patience.wait("the read") { stage.sharing.isCurrent(since: before) }
    #expect(try await events.state() == nil)
    stage.sharing.checked(0, at: .now, into: stage.feeds)
    while try await events.state() == nil { _ = await updates.next() }
    #expect(try await events.snapshot(afterReset: false) != nil)
    stage.sharing.store.close()
  }
}
