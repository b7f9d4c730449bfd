import FeedSimulation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import GTFSRealtime
import HTTPTypes
import Hashing
import Logging
import Serving
import Testing

@testable import StationboardServer

/// The realtime pipeline as a whole, from the producer's bytes to the router's answers, driven by a clock
/// that is moved by hand.
final class StormStage: Sendable {
  let world: FeedWorld
  let clock: ManualClock
  let service: ServiceClock
  let exchange: StormExchange
  let feeds: RealtimeFeeds
  let probe: ServiceProbe
  let feed: Feed
  /// The world's time at the clock's first instant, in milliseconds since 1970-01-01T00:00:00Z.
  let start: Int64
  /// The feeds that are polled.
  static let streams: [FeedStream] = [.tripUpdates, .alerts]
  private let sources: [(stream: FeedStream, source: RealtimeSource)]

  /// 2026-10-24T16:00:07Z, between two publications: the next 24 hours contain the end of daylight saving
  /// time.
  static let evening: Int64 = 1_792_857_607_000

  init(_ scenario: Scenario, seed: UInt64, start: Int64 = evening) throws {
    let store = try SampleFeed.store(StormNetwork.folder)
    feed = try #require(store.feeds.first)
    var options = FeedWorld.Options()
    options.scenario = scenario
    options.seed = seed
    options.agencyIDs = ["A"]
    world = FeedWorld(feed.timetable, options: options)
    clock = ManualClock()
    self.start = start
    service = ServiceClock(startingAt: Double(start) / 1_000, on: clock)
    exchange = StormExchange(world, clock: clock, start: start)
    sources = Self.streams.map { stream in
      let request = HTTPRequest(
        method: .get,
        scheme: "http",
        authority: "producer",
        path: "/\(stream.rawValue).pb"
      )
      let kind: RealtimeSource.Kind = stream == .alerts ? .alerts : .tripUpdates
      return (stream, RealtimeSource(kind: kind, request: request))
    }
    var logger = Logger(label: "storm")
    logger.logLevel = .critical
    let service = service
    feeds = RealtimeFeeds(
      sources: sources.map(\.source),
      store: store,
      exchange: exchange,
      clock: service,
      hostClock: HostClock(
        clock,
        wall: { WallTime(milliseconds: Int64(service.now * 1_000)) }
      ),
      random: SplitMix64(seed: seed),
      logger: logger
    )
    probe = ServiceProbe(store: store, clock: service, realtime: feeds)
  }

  /// The world's time, in milliseconds since 1970-01-01T00:00:00Z.
  var instant: Int64 { exchange.instant }

  /// Runs the pollers while a body runs.
  func run(_ body: (StormStage) async throws -> Void) async throws {
    let task = Task { await feeds.run() }
    defer { task.cancel() }
    try await settle()
    try await body(self)
  }

  /// Lets time pass, from one thing the pollers do to the next.
  ///
  /// - Parameters:
  ///   - instant: Where to, in milliseconds since 1970-01-01T00:00:00Z.
  ///   - isEnough: Asked after each of these things; ends the passing of time early.
  /// - Throws: ``StormError``.
  func advance(to instant: Int64, until isEnough: () -> Bool = { false }) async throws {
    while let deadline = clock.nextDeadline {
      let next = start + deadline.offset.milliseconds
      guard next <= instant, !isEnough() else { break }
      await clock.advance(by: .milliseconds(max(0, next - self.instant)))
      try await settle()
    }
    guard !isEnough() else { return }
    await clock.advance(by: .milliseconds(max(0, instant - self.instant)))
  }

  /// Waits until everything that is to happen at this instant has happened.
  func settle() async throws { try await Patience.wait(standstill) { isAtRest } }

  /// What is known of everything that could still be under way.
  private var standstill: String {
    let snapshot = feeds.snapshot(of: feed)
    let asleep = "\(instant): \(clock.sleepers) sleep, \(exchange.sleeping) of them requests"
    return sources.reduce(asleep) {
      let log = exchange.log($1.stream)
      let status = $1.stream == .alerts ? snapshot.alerts : snapshot.trips
      return $0
        + "; \($1.stream): asking \(feeds.poller(of: $1.source)?.report.isRequesting ?? false)"
        + ", \(log.outstanding) of \(log.requests) outstanding"
        + ", judged \(status.judged?.description ?? "-") of \(log.deliveries.suffix(2))"
    }
  }

  private var isAtRest: Bool {
    // In the order in which things happen: the clock wakes the poller, the poller asks, the producer
    // answers, the answer is judged. What is read later is never behind what was read before.
    guard clock.sleepers == sources.count + exchange.sleeping else { return false }
    for (stream, source) in sources {
      guard let poller = feeds.poller(of: source) else { return false }
      let log = exchange.log(stream)
      let snapshot = feeds.snapshot(of: feed)
      let status = stream == .alerts ? snapshot.alerts : snapshot.trips
      guard poller.report.isRequesting == (log.outstanding > 0),
        status.judged == log.deliveries.last?.digest
      else { return false }
    }
    return true
  }
}

/// Waiting for what takes no time by the clock moved by hand, and some on the machine.
enum Patience {
  /// The longest wait, on a machine that is busy with other tests.
  static let most = Duration.seconds(300)
  /// How often a task steps back before it lies down: the tasks it waits for may be less urgent, and never
  /// get a turn beside one that only steps back.
  private static let turns = 20

  /// Waits until a condition is true.
  ///
  /// - Throws: ``StormError/unsettled(_:)`` with the words if it never is.
  static func wait(_ words: @autoclosure () -> String, for condition: () -> Bool) async throws {
    let began = ContinuousClock.now
    var turn = 0
    while !condition() {
      turn += 1
      if turn <= turns {
        await Task.yield()
      } else {
        guard ContinuousClock.now - began < most else { throw StormError.unsettled(words()) }
        try await Task.sleep(for: .microseconds(200))
      }
    }
  }
}

/// What goes wrong with a simulation itself.
enum StormError: Error {
  /// Something that takes no time did not end.
  case unsettled(String)
}
