import Hashing
import Testing

@testable import Freshness

/// R36 to R40, as far as one machine goes: what the vectors of `trust.json` omit.
@Suite("Rules: trust")
struct TrustRules {
  private static let origin: Int64 = 1_700_000_000_000

  private func metadata(made: Int64, served: Int64) -> FreshnessMetadata {
    FreshnessMetadata(
      serverTime: WallTime(milliseconds: Self.origin + served),
      fetchedAt: WallTime(milliseconds: Self.origin + made)
    )
  }

  @Test
  func `R36, R37: of any order of answers the newest data stays, and no age shrinks without it`() {
    var generator = SplitMix64(seed: 36)
    var stage = Stage.settled(.plain.with { $0.impatience = 1_000 })
    var newest: Int64 = -1
    var age = Instant.Duration.zero
    var seenAt = stage.now
    for _ in 0..<2_000 {
      stage.advance(.milliseconds(Int64(generator.next() % 3_000)))
      stage.send(.refreshRequested(.person))
      let now = stage.now.milliseconds
      // An edge that may be behind, and an intermediate cache that may hide how long it kept the
      // response.
      let made = max(now - Int64(generator.next() % 60_000), 0) / 15_000 * 15_000
      let served = max(now - Int64(generator.next() % 20_000), made)
      stage.reply(
        .content(Content(Revision(made))),
        status: 200,
        metadata: metadata(made: made, served: served)
      )
      let shown = stage.machine.label(at: stage.now).age ?? .zero
      if made > newest {
        newest = made
      } else {
        #expect(shown >= age + (stage.now - seenAt), "younger without newer data")
      }
      #expect(stage.machine.snapshot?.sourceTime?.milliseconds == Self.origin + newest)
      (age, seenAt) = (shown, stage.now)
    }
  }

  @Test
  func `R37: with an honest server the age lies between the truth and the response delay more`() {
    var generator = SplitMix64(seed: 37)
    var stage = Stage(.plain.with { $0.timeout = .minutes(10) })
    stage.send(.started)
    for _ in 0..<500 {
      let up = Int64(generator.next() % 4_000)
      let down = Int64(generator.next() % 4_000)
      let built = stage.now.milliseconds + up
      let made = built / 15_000 * 15_000
      stage.skip(.milliseconds(up + down))
      stage.reply(
        .content(Content(Revision(made))),
        status: 200,
        metadata: metadata(made: made, served: built)
      )
      let truth = Instant.Duration(milliseconds: stage.now.milliseconds - made)
      let shown = stage.machine.label(at: stage.now).age ?? .zero
      #expect(shown >= truth)
      // Of data that was seen before, the greater of two delays counts.
      #expect(shown <= truth + .seconds(8))
      _ = stage.advanceToRequest()
    }
  }

  @Test
  func `R38: neither a local write nor a copy from disk is ever live`() {
    for event in [Event.wrote(Revision(7)), .restored(Revision(7), age: .seconds(3))] {
      var stage = Stage(.departuresWeb)
      stage.send(.started)
      stage.send(event)
      let label = stage.machine.label(at: stage.now)
      #expect(label.provenance != .server && label.badge == .unknown && label.marker == .none)
      stage.reply(
        .content(.live),
        status: 200,
        metadata: FreshnessMetadata(cacheAge: .zero, mode: .full, status: .applied)
      )
      if stage.machine.outstanding == nil, stage.machine.snapshot?.provenance != .server {
        // The write outdated the request; the next one brings the server's copy.
        _ = stage.advanceToRequest()
        stage.reply(
          .content(.live),
          status: 200,
          metadata: FreshnessMetadata(cacheAge: .zero, mode: .full, status: .applied)
        )
      }
      #expect(stage.machine.label(at: stage.now).badge == .live)
    }
  }

  @Test(arguments: [1, 2, 3, 6, 12, 60])
  func `R40: in no minute does impatience cost more than its number`(number: Int32) {
    var generator = SplitMix64(seed: UInt64(number))
    // A cadence so slow that every request is an impatient one.
    let policy = Policy(every: .minutes(10_000)).with {
      $0.impatience = number
      $0.timeout = .minutes(10_000)
      $0.stallFloor = .minutes(100_000)
      $0.unchangedFor = nil
    }
    var stage = Stage.settled(policy)
    for _ in 0..<4_000 {
      stage.advance(.milliseconds(Int64(generator.next() % 2_000)))
      let events: [Event] = [
        .refreshRequested(.person), .refreshRequested(.hardRefresh), .focused,
        .lifecycle(.background),
        .lifecycle(.foreground), .connectivity(.offline), .connectivity(.online), .stopped,
        .started,
      ]
      stage.send(events[Int(generator.next() % UInt64(events.count))])
      if generator.next() % 2 == 0 { stage.reply(.content(.plain), status: 200) }
    }
    let instants = stage.requests.map(\.at.milliseconds)
    for (index, instant) in instants.enumerated() {
      let others = instants[index...].prefix { $0 < instant + 60_000 }
      #expect(others.count <= number, "\(others.count) from \(instant) on")
    }
    // And a request is never lost.
    stage.send(.connectivity(.online))
    stage.send(.lifecycle(.foreground))
    stage.send(.started)
    stage.reply(.content(.plain), status: 200)
    stage.send(.refreshRequested(.hardRefresh))
    let asked =
      stage.last.request ?? stage.advanceToRequest(within: .minutes(1))
    #expect(asked?.refresh.isForced == true)
  }

  @Test
  func `A machine stays small`() {
    #expect(MemoryLayout<RefreshMachine>.size <= 750)
  }

  /// A request that is ordered before a change is due and sent after it, and finds nothing.
  @Test(arguments: [Int64(30_000), 60_000], [Int64(-200), 100])
  func `R31: an overdue change is asked for again soon, also after a wait in the queue`(
    interval: Int64,
    ordered: Int64
  ) throws {
    let every = Instant.Duration(milliseconds: interval)
    let period = interval * 27 / 20
    var policy = Policy.departuresWeb
    (policy.active, policy.recent, policy.idle) = (every, every, every)
    (policy.leastInterval, policy.jitter) = (every.percent(90), .none)
    (policy.unchangedLimit, policy.unchangedFor) = (nil, nil)
    var machine = RefreshMachine(policy: policy, context: Context(question: 1))
    let random = RandomSample(bits: 123_456_789)
    /// Answers what was sent at an instant; the newest publication may be late.
    func answer(sentAt sent: Int64, isLate: Bool = false) throws -> Int64 {
      let ticket = try #require(machine.outstanding)
      let count = (sent + 20 - 700) / period - (isLate ? 1 : 0)
      let made = 700 + count * period
      let epoch: Int64 = 1_700_000_000_000
      let answer = Answer(
        .content(Content(Revision(made + epoch), hasRealtime: true)),
        metadata: FreshnessMetadata(
          serverTime: WallTime(milliseconds: epoch + sent + 20),
          fetchedAt: WallTime(milliseconds: epoch + made),
          mode: .full,
          status: .applied
        ),
        // Since it was sent.
        delay: .milliseconds(40)
      )
      let now = Instant(milliseconds: sent + 40)
      _ = machine.handle(.answered(ticket, answer), at: now, random: random)
      return try #require(machine.alarm).milliseconds
    }
    var now: Int64 = 1_000
    _ = machine.handle(.started, at: Instant(milliseconds: now), random: random)
    for _ in 0..<80 {
      now = try answer(sentAt: now)
      _ = machine.handle(.woke, at: Instant(milliseconds: now), random: random)
    }
    _ = try answer(sentAt: now)
    let next = 700 + ((now + 20 - 700) / period + 1) * period
    _ = machine.handle(
      .refreshRequested(.person),
      at: Instant(milliseconds: next + ordered),
      random: random
    )
    let sent = next + 300
    let ticket = try #require(machine.outstanding)
    _ = machine.handle(.queued(ticket), at: Instant(milliseconds: sent), random: random)
    let again = try answer(sentAt: sent, isLate: true)
    #expect(again - sent <= interval * 103 / 100)
  }
}
