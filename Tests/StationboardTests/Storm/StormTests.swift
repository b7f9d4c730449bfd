import FeedSimulation
import TestScale
import Testing

@testable import StationboardServer

/// The simulator's storm through producer, poller, judge, index and router, by a clock moved by
/// hand.
@Suite struct StormTests {
  /// Publications: 24 hours of them, or an hour and forty minutes in the morning, when trips are added too.
  private static let publications = TestScale.sized(250, long: 5_760)
  private static let start = StormStage.evening + TestScale.sized(46_800_000, long: 0)

  @Test func `a storm: every board is the truth at the age it says`() async throws {
    let stage = try StormStage(.storm, seed: 20, start: Self.start)
    var watch = StormWatch(stage, seed: 21)
    var truth = StormGroundTruth(stage.world)
    var taken = 0
    try await stage.run { stage in
      // Until the poller has the producer's rhythm.
      try await stage.advance(to: stage.start + 300_000)
      let known = stage.exchange.log(.tripUpdates).deliveries.map(\.tick)
      for tick in known { truth.record(tick.sourceTime) }
      let first = try #require(known.last)
      #expect(first == stage.world.tick(.tripUpdates, at: stage.instant))
      var before = known.dropLast().last
      var current = first
      for number in first.number + 1...first.number + Int64(Self.publications) {
        // Until the next publication is in use, and then some.
        let next = stage.world.tick(.tripUpdates, number: number)
        try await watch.compare(truth, Self.expected(stage, current, before))
        let between = stage.instant + watch.random(0..<max(1, next.instant - stage.instant))
        try await stage.advance(to: between)
        try await watch.compare(truth, Self.expected(stage, current, before))
        let limit = next.nextInstant - 1
        try await stage.advance(to: limit) {
          stage.exchange.log(.tripUpdates).deliveries.last?.tick.number == number
        }
        guard stage.exchange.log(.tripUpdates).deliveries.last?.tick.number == number else {
          Issue.record("publication \(number) was never fetched")
          break
        }
        taken += 1
        truth.record(next.sourceTime)
        before = current
        current = next
        if watch.isHopeless { break }
      }
    }
    let counters = watch.counters
    print("storm: \(counters), \(stage.exchange.log(.tripUpdates).statuses)")
    #expect(taken == Self.publications)
    let (applied, partial) = (counters.statuses["applied"] ?? 0, counters.statuses["partial"] ?? 0)
    #expect(applied + partial == counters.boards && applied > partial)
    let share = Self.publications / 60
    #expect(counters.late > 5 * share && counters.cancelled > 5 * share && counters.skipped > share)
    #expect(counters.extra > share && counters.platforms > 0 && counters.unknown > share)
    #expect(counters.notModified > share && counters.noContent > 0)
  }

  /// What boards say when every publication comes: all is applied, and the next one is due a rhythm later.
  static func expected(
    _ stage: StormStage,
    _ current: FeedTick,
    _ before: FeedTick?
  ) -> StormWatch.Expected {
    StormWatch.Expected(
      sourceTime: current.sourceTime,
      status: "applied",
      alertsStatus: "applied",
      nextExpected: next(
        current.sourceTime,
        after: before.map { current.sourceTime - $0.sourceTime },
        waits: waits(stage.exchange.log(.tripUpdates).deliveries)
      )
    )
  }

  /// How long after the one before them the last ten publications were here, in milliseconds.
  private static func waits(_ deliveries: [StormExchange.Delivery]) -> [Int64] {
    zip(deliveries.dropFirst(), deliveries)
      .filter { $0.tick.sourceTime > $1.tick.sourceTime }
      .map { $0.instant - $1.tick.sourceTime * 1_000 }
      .suffix(10)
  }

  /// When the next publication is expected, in milliseconds: as long after the one before it as eight of the
  /// last ten were here (R31).
  ///
  /// - Parameters:
  ///   - current: The source time of the publication in use.
  ///   - period: The time between it and the one before, in seconds.
  ///   - waits: The delays of the last few publications after the one before them, in milliseconds; `nil` if unknown.
  /// - Returns: The range of the expected instant; `nil` without a rhythm.
  static func next(
    _ current: Int64?,
    after period: Int64?,
    waits: [Int64]? = nil
  ) -> ClosedRange<Int64>? {
    guard let current, let period else { return nil }
    // Without the waits, and after gaps, only that it is a rhythm after the publication is certain.
    guard let waits = waits?.sorted(), !waits.isEmpty else {
      let due = (current + period) * 1_000
      return min(due, (current + 15) * 1_000)...due + 120_000
    }
    let due = current * 1_000 + waits[(waits.count * 8 + 9) / 10 - 1]
    // Instants are read in milliseconds, and the answer took its time.
    return due - 1...due + 1
  }
}
