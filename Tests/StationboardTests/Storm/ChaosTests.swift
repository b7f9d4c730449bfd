import FeedSimulation
import TestScale
import Testing

@testable import StationboardServer

/// The same day with a producer in trouble: publications that are late, empty, truncated, back-dated or
/// slow, errors and refusals.
@Suite struct ChaosTests {
  /// Hours by the simulated clock: a day, or the three hours around the end of daylight saving time.
  private static let hours = TestScale.sized(3, long: 24)
  private static let start = StormStage.evening + TestScale.sized(25_200_000, long: 0)

  @Test
  func `chaos: the last good feed serves at its own age, and every word has its cause`()
    async throws
  {
    let stage = try StormStage(.chaos, seed: 30, start: Self.start)
    var watch = StormWatch(stage, seed: 31)
    var trips = ChaosSource(stage.world, .tripUpdates)
    var alerts = ChaosSource(stage.world, .alerts)
    var recoveries = 0
    var last = ""
    try await stage.run { stage in
      let end = stage.start + Int64(Self.hours) * 3_600_000
      while stage.instant < end, !watch.isHopeless {
        let now = stage.instant
        let snapshot = stage.feeds.snapshot(of: stage.feed)
        trips.follow(stage.exchange.log(.tripUpdates), inUse: snapshot.trips.sourceTime)
        alerts.follow(stage.exchange.log(.alerts), inUse: snapshot.alerts.sourceTime)
        let status = trips.word(at: now, freshFor: 45)
        if status == "applied", !last.isEmpty, last != "applied" { recoveries += 1 }
        last = status
        let expected = StormWatch.Expected(
          sourceTime: trips.inUse?.sourceTime,
          status: status,
          alertsStatus: alerts.word(at: now, freshFor: 120),
          nextExpected: StormTests.next(trips.inUse?.sourceTime, after: trips.period)
        )
        try await watch.compare(trips.isKnown ? trips.truth : nil, expected)
        // To the next thing a poller does, or some time before.
        let next = stage.instant + watch.random(2_000..<40_000)
        let requests = StormStage.streams.map { stage.exchange.log($0).requests }
        try await stage.advance(to: next) {
          StormStage.streams.map { stage.exchange.log($0).requests } != requests
        }
      }
    }
    let counters = watch.counters
    let log = stage.exchange.log(.tripUpdates)
    print("chaos: \(counters), \(log.statuses), \(log.faults), \(recoveries), \(trips.believed)")
    #expect(counters.failures == 0)
    #expect(trips.surprises.isEmpty, "\(trips.surprises.prefix(5))")
    #expect(alerts.surprises.isEmpty, "\(alerts.surprises.prefix(5))")
    for word in ["applied", "stale_cache", "guarded_error"] {
      #expect(counters.statuses[word, default: 0] > 2 * Self.hours, "\(word)")
    }
    #expect(counters.statuses["missing_cache"] == nil)
    #expect(counters.alertStatuses["applied", default: 0] > 40 * Self.hours)
    #expect(recoveries > 2 * Self.hours)
    for kind in FeedFault.Kind.allCases {
      #expect(log.faults[kind, default: 0] > Self.hours / 2, "\(kind)")
    }
  }

  @Test func `boards answer although the producer hangs for ever, from the first moment or later`()
    async throws
  {
    let stage = try StormStage(.storm, seed: 40)
    stage.exchange.hang()
    var watch = StormWatch(stage, seed: 41)
    try await stage.run { stage in
      let missing = StormWatch.Expected(
        sourceTime: nil,
        status: "missing_cache",
        alertsStatus: "missing_cache",
        nextExpected: nil
      )
      // No clock moves and no request ends, so a waiter for a fetch would wait forever.
      #expect(stage.exchange.log(.tripUpdates).outstanding == 1)
      for _ in 0..<20 { try await watch.compare(StormGroundTruth(stage.world), missing) }
      for _ in 0..<20 {
        try await stage.advance(to: stage.instant + 7_000)
        try await watch.compare(StormGroundTruth(stage.world), missing)
      }
      stage.exchange.hang(false)
      try await stage.advance(to: stage.instant + 300_000) {
        StormStage.streams.allSatisfy { !stage.exchange.log($0).deliveries.isEmpty }
      }
      stage.exchange.hang()
      var truth = StormGroundTruth(stage.world)
      for delivery in stage.exchange.log(.tripUpdates).deliveries {
        truth.record(delivery.tick.sourceTime)
      }
      let before = stage.exchange.log(.tripUpdates).deliveries.dropLast().last?.tick.sourceTime
      let alerts = stage.exchange.log(.alerts).deliveries.last?.tick.sourceTime ?? 0
      let inUse = try #require(truth.inUse)
      for _ in 0..<60 {
        let now = stage.instant
        let expected = StormWatch.Expected(
          sourceTime: inUse,
          status: now - inUse * 1_000 <= 45_000 ? "applied" : "stale_cache",
          alertsStatus: now - alerts * 1_000 <= 120_000 ? "applied" : "stale_cache",
          nextExpected: StormTests.next(inUse, after: before.map { inUse - $0 })
        )
        try await watch.compare(truth, expected)
        try await stage.advance(to: now + 5_000)
      }
    }
    #expect(watch.counters.failures == 0)
    #expect(watch.counters.statuses["stale_cache", default: 0] > 30)
  }
}

/// What a source in trouble gave, and what is to be made of it: told by the faults of the world, not by the
/// server.
struct ChaosSource {
  /// A publication in use.
  struct Publication: Hashable {
    var sourceTime: Int64
    var isBare: Bool
  }

  private let stream: FeedStream
  private let world: FeedWorld
  private(set) var truth: StormGroundTruth
  private(set) var inUse: Publication?
  /// The last distance between two publications in use that is a rhythm, in seconds: forwards, and at
  /// most ten minutes.
  private(set) var period: Int64?
  /// Whether the whole content in use is known: not of a publication cut where an entity ends.
  private(set) var isKnown = true
  /// What cannot be explained.
  private(set) var surprises: [String] = []
  /// How many doubtful publications were believed in the end.
  private(set) var believed = 0
  private var seen = 0
  private var entities = 0
  private var isRefused = false
  /// Doubtful publications in a row, and when the first of them came.
  private var doubts = 0
  private var doubtsSince: Int64 = 0

  init(_ world: FeedWorld, _ stream: FeedStream) {
    self.world = world
    self.stream = stream
    truth = StormGroundTruth(world)
  }

  /// The word that goes with what is in use at an instant, in milliseconds.
  func word(at now: Int64, freshFor: Int64) -> String {
    guard let inUse else { return isRefused ? "guarded_error" : "missing_cache" }
    if now - inUse.sourceTime * 1_000 <= freshFor * 1_000 { return "applied" }
    return isRefused ? "guarded_error" : "stale_cache"
  }

  /// Takes note of what was delivered since.
  ///
  /// - Parameters:
  ///   - log: What happened with the source.
  ///   - shown: The source time that boards have now, which settles what became of a doubtful one.
  mutating func follow(_ log: StormExchange.Log, inUse shown: Double?) {
    let new = log.deliveries.dropFirst(seen)
    seen = log.deliveries.count
    for (place, delivery) in new.enumerated() {
      record(delivery, shown: place == new.count - 1 ? shown.map { Int64($0) } : nil)
    }
    let expected = inUse?.sourceTime
    if expected != shown.map({ Int64($0) }) {
      surprises.append("\(stream): \(shown ?? 0) is in use, not \(expected ?? 0)")
    }
  }

  private mutating func record(_ delivery: StormExchange.Delivery, shown: Int64?) {
    let time = delivery.tick.sourceTime
    guard let count = delivery.entities else {
      // No feed at all: the one in use stays.
      isRefused = true
      return
    }
    let isOlder = inUse.map { time < $0.sourceTime } ?? false
    let isFarSmaller = inUse != nil && entities >= 20 && count * 2 < entities
    guard isOlder || isFarSmaller else {
      use(delivery, count)
      return
    }
    // Three doubtful ones in a row, or two minutes of them, may end a doubt; only then.
    doubts += 1
    if doubts == 1 { doubtsSince = delivery.instant }
    let mayEnd = doubts >= 3 || delivery.instant - doubtsSince >= 119_000
    if mayEnd, shown == time, inUse?.sourceTime != time {
      believed += 1
      use(delivery, count)
    } else {
      isRefused = true
    }
  }

  private mutating func use(_ delivery: StormExchange.Delivery, _ count: Int) {
    let isBare = count == 0
    let time = delivery.tick.sourceTime
    isRefused = false
    doubts = 0
    entities = count
    if case .truncated = delivery.fault { isKnown = isBare } else { isKnown = true }
    let publication = Publication(sourceTime: time, isBare: isBare)
    guard inUse != publication else { return }
    truth.record(time, isBare: isBare)
    if let inUse, (1...600).contains(time - inUse.sourceTime) { period = time - inUse.sourceTime }
    inUse = publication
  }
}
