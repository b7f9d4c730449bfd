import Freshness
import Hashing
import Testing

@Suite("Server hints, upgrades and prefetch: R31 to R33, R35")
struct HintRules {
  /// A producer that changes its data every 15 s; answers polls for a while and sums up their ages.
  struct Producer {
    var stage = Stage(.departuresWeb)
    var generator = SplitMix64(seed: 5)
    var period: Int64 = 15_000
    var phase: Int64 = 4_321
    var statesNext = false
    var spread: Instant.Duration?
    var ages: [Int64] = []

    /// How old the newest data is now.
    var age: Int64 { (stage.now.milliseconds - phase + 100 * period) % period }

    mutating func run(polls: Int) {
      stage.random = generator.randomSample()
      stage.send(.started)
      for _ in 1...polls {
        if stage.machine.outstanding == nil { _ = stage.advanceToRequest() }
        stage.skip(.milliseconds(75))
        let served = WallTime(milliseconds: 1_000_000_000 + stage.now.milliseconds)
        let made = WallTime(milliseconds: served.milliseconds - age)
        ages.append(age)
        stage.skip(.milliseconds(75))
        stage.random = generator.randomSample()
        let next = WallTime(milliseconds: made.milliseconds + period)
        stage.reply(
          .content(Content(Revision(made.milliseconds), hasRealtime: true)),
          metadata: FreshnessMetadata(
            serverTime: served,
            fetchedAt: made,
            mode: .full,
            status: .applied
          ),
          hints: Hints(nextExpectedAt: statesNext ? next : nil, spread: spread)
        )
      }
    }

    /// The mean age of the data when it was served, after some polls.
    func mean(after polls: Int) -> Int64 {
      ages.dropFirst(polls).reduce(0, +) / Int64(ages.count - polls)
    }
  }

  @Test
  func `R31: a stated change is asked for shortly after it`() {
    var producer = Producer()
    producer.statesNext = true
    producer.run(polls: 400)
    #expect(producer.mean(after: 4) <= 1_200)
    let hours = Double(producer.stage.now.milliseconds) / 3_600_000
    #expect(Double(producer.stage.requests.count) / hours <= 260)
  }

  @Test
  func `R31: the rhythm is learned within four polls, at no more requests`() {
    var producer = Producer()
    producer.run(polls: 400)
    #expect(producer.ages.dropFirst(4).allSatisfy { $0 < 2_500 })
    #expect(producer.mean(after: 4) <= 1_200)
    let hours = Double(producer.stage.now.milliseconds) / 3_600_000
    #expect(Double(producer.stage.requests.count) / hours <= 260)
  }

  @Test
  func `R31: aligned requests respect the least interval and never wait two cadences`() {
    for period in [Int64(4_000), 14_200, 15_000, 19_000, 31_000] {
      var producer = Producer()
      producer.period = period
      producer.statesNext = true
      producer.run(polls: 200)
      let starts = producer.stage.requests.map(\.at)
      for (earlier, later) in zip(starts, starts.dropFirst()) {
        #expect(later - earlier >= .milliseconds(13_800))
        #expect(later - earlier <= .seconds(30))
      }
    }
  }

  @Test
  func `R31: a change a moment too early is asked for late, not left out`() {
    // 12.6 s ahead: 1.2 s before the earliest moment that the budget allows.
    var producer = Producer()
    producer.phase = 12_600
    producer.statesNext = true
    producer.run(polls: 40)
    let starts = producer.stage.requests.map(\.at)
    for (earlier, later) in zip(starts, starts.dropFirst()) {
      #expect(later - earlier <= .seconds(17))
    }
    #expect(producer.ages.dropFirst(4).allSatisfy { $0 < 2_500 })
  }

  @Test
  func `R31: a producer that publishes faster than it is polled does not slow the requests down`() {
    for period in [Int64(10), 400, 1_000, 1_400] {
      var producer = Producer()
      producer.period = period
      producer.run(polls: 400)
      let hours = Double(producer.stage.now.milliseconds) / 3_600_000
      #expect(Double(producer.stage.requests.count) / hours >= 228, "every \(period) ms")
    }
  }

  @Test
  func `R31: a rhythm that ends is forgotten, and the requests do not drift`() {
    var producer = Producer()
    producer.run(polls: 40)
    producer.period = 1_000
    let before = producer.stage.requests.count
    let start = producer.stage.now
    producer.stage.send(.stopped)
    producer.run(polls: 400)
    let hours = Double((producer.stage.now - start).milliseconds) / 3_600_000
    #expect(Double(producer.stage.requests.count - before) / hours >= 225)
  }

  /// Answers requests about a producer whose changes are at given times, and returns when they were
  /// sent.
  private static func starts(
    changes: [Int64],
    until end: Int64,
    refreshes: Set<Int64> = [],
    statesNext: Bool = false,
    lateness: Int64 = 0
  ) -> [Int64] {
    var stage = Stage(.departuresWeb)
    var generator = SplitMix64(seed: 3)
    var refreshes = refreshes.sorted()[...]
    stage.random = generator.randomSample()
    stage.send(.started)
    while stage.now.milliseconds < end {
      if stage.machine.outstanding == nil {
        let alarm = stage.machine.alarm?.milliseconds ?? end
        if let refresh = refreshes.first, refresh < alarm + lateness {
          refreshes.removeFirst()
          stage.skip(.milliseconds(max(refresh - stage.now.milliseconds, 0)))
          stage.send(.refreshRequested(.person))
        } else {
          stage.skip(.milliseconds(max(alarm + lateness - stage.now.milliseconds, 0)))
          stage.send(.woke)
        }
      }
      guard stage.machine.outstanding != nil else { continue }
      stage.skip(.milliseconds(75))
      let now = stage.now.milliseconds
      let made = changes.last { $0 <= now } ?? 0
      let next = statesNext ? changes.first { $0 > now } : nil
      stage.random = generator.randomSample()
      stage.reply(
        .content(Content(Revision(made), hasRealtime: true)),
        metadata: FreshnessMetadata(
          serverTime: WallTime(milliseconds: 1_000_000_000 + now),
          fetchedAt: WallTime(milliseconds: 1_000_000_000 + made),
          mode: .full,
          status: .applied
        ),
        hints: Hints(nextExpectedAt: next.map { WallTime(milliseconds: 1_000_000_000 + $0) })
      )
    }
    return stage.requests.map(\.at.milliseconds)
  }

  /// Returns how long after each change the first request came.
  private static func delays(_ changes: [Int64], _ starts: [Int64]) -> [Int64] {
    changes.compactMap { change in starts.first { $0 >= change }.map { $0 - change } }
  }

  /// 20 s and 40 s in turn: every third change of a rhythm of 20 s is never made.
  private static let alternating = (0..<Int64(120)).map { $0 * 30_000 - $0 % 2 * 10_000 }

  @Test(arguments: [false, true])
  func `R31: a change that is usually never made is not waited for`(isStated: Bool) {
    let changes = Self.alternating
    let starts = Self.starts(changes: changes, until: 3_300_000, statesNext: isStated)
    let late = Self.delays(changes, starts).dropFirst(20).dropLast(12)
    #expect(late.allSatisfy { $0 < 2_500 }, "\(late)")
    #expect(starts.count < 230)
  }

  @Test
  func `R31: an overdue change that usually comes is requested again within an interval`() {
    // Every eighth change is 6 s late, and none is left out.
    let changes = (0..<Int64(160)).map { $0 * 20_000 + ($0 % 8 == 7 ? 6_000 : 0) }
    let starts = Self.starts(changes: changes, until: 3_000_000)
    for (number, change) in changes.enumerated() where number % 8 == 7 && number > 16 {
      guard change < 2_900_000, let next = starts.first(where: { $0 >= change }) else { continue }
      #expect(next - change <= 15_600)
    }
  }

  @Test
  func `R31: refreshes by a person seldom cost a change`() {
    let changes = (0..<Int64(800)).map { $0 * 15_000 }
    var generator = SplitMix64(seed: 11)
    var refreshes: Set<Int64> = []
    var now: Int64 = 60_000
    while now < 11_000_000 {
      refreshes.insert(now)
      now += 30_000 + Int64(generator.below(30_000))
    }
    let starts = Self.starts(changes: changes, until: 11_500_000, refreshes: refreshes)
    let late = Self.delays(changes, starts).dropFirst(8).dropLast(40).sorted()
    #expect(late[late.count * 95 / 100] < 15_000)
    #expect(late.reduce(0, +) / Int64(late.count) < 7_000)
  }

  @Test
  func `R31: timers that are late cost requests, never add some`() {
    let changes = (0..<Int64(400)).map { $0 * 30_000 }
    let prompt = Self.starts(changes: changes, until: 10_000_000).count
    let late = Self.starts(changes: changes, until: 10_000_000, lateness: 900).count
    #expect(late < prompt)
  }

  @Test
  func `R31: the machine says whether the server stated the change or it was learned`() {
    var producer = Producer()
    producer.statesNext = true
    producer.run(polls: 5)
    #expect(producer.stage.machine.nextRequest.cause == .stated)
    #expect(producer.stage.machine.nextRequest.due == producer.stage.machine.alarm)
    producer.statesNext = false
    producer.run(polls: 5)
    #expect(producer.stage.machine.nextRequest.cause == .learned)
  }

  @Test
  func `R31: clients spread over the window their server asks for`() {
    var seconds = [Int](repeating: 0, count: 60)
    for client in 0..<1_500 {
      var producer = Producer()
      producer.generator = SplitMix64(seed: UInt64(client))
      producer.statesNext = true
      producer.spread = .seconds(10)
      // They all start together, which is the worst case.
      producer.run(polls: 9)
      for (at, _) in producer.stage.requests where at >= .start + .seconds(60) {
        let second = Int(at.milliseconds / 1_000) - 60
        if second < 45 { seconds[second] += 1 }
      }
    }
    let mean = seconds.reduce(0, +) / 45
    #expect(mean > 80 && (seconds.max() ?? 0) <= 2 * mean)
  }

  @Test
  func `R31: a lifetime in Cache-Control says the same`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    stage.reply(.content(.live), hints: Hints(maxAge: .seconds(16)))
    // 16 s to the change, 0.5 s for the producer, the middle of 0.6 s to spread.
    #expect(stage.nextInterval() == .milliseconds(16_800))
    // A lifetime that says nothing of the rhythm is ignored.
    stage.reply(.content(.live), hints: Hints(maxAge: .seconds(3_600)))
    #expect((stage.nextInterval() ?? .zero) <= .milliseconds(15_600))
  }

  @Test
  func `R32: the schedule waits at the server when the policy allows it`() {
    var stage = Stage.settled(.plain.with { $0.longPoll = .seconds(25) })
    let request = stage.advanceToRequest()
    #expect(request?.longPoll == .seconds(25) && request?.validator != nil)
    #expect(request?.timeout == .seconds(37))
    // It responded late: the next one follows at once, spread.
    stage.reply(.content(.other), after: .seconds(20))
    #expect((stage.machine.alarm ?? .start) - stage.now <= .seconds(1))
    // A server that does not wait is polled at the cadence.
    _ = stage.advanceToRequest()
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(10))
  }

  @Test
  func `R32: no refresh waits behind a long poll`() {
    var stage = Stage.settled(.plain.with { $0.longPoll = .seconds(25) })
    let waiting = stage.advanceToRequest()?.ticket
    let effects = stage.send(.refreshRequested(.person))
    #expect(effects.cancel == waiting && effects.request != nil)
    #expect(effects.request?.longPoll == nil)
  }

  @Test
  func `R32: the background does not long-poll`() {
    var stage = Stage.settled(Policy.workspaces.with { $0.longPoll = .seconds(25) })
    let waiting = stage.advanceToRequest()?.ticket
    #expect(stage.send(.lifecycle(.background)).cancel == waiting)
    #expect(stage.advanceToRequest()?.longPoll == nil)
  }

  static let streaming = Policy.plain.with { $0.push = Policy.Push() }

  /// A machine with a healthy stream and a copy, and without a request in flight.
  static func live() -> Stage {
    var stage = Stage(streaming)
    stage.send(.started)
    stage.reply(.content(.plain))
    stage.send(.streamOpened(isResumed: true))
    return stage
  }

  @Test
  func `R33: watching opens a stream, leaving closes it`() {
    var stage = Stage(Self.streaming)
    #expect(stage.send(.started).stream == .open)
    #expect(stage.send(.stopped).stream == .close)
    #expect(stage.machine.alarm == nil)
  }

  @Test
  func `R33: a healthy stream slows polling down`() {
    var stage = Self.live()
    #expect(stage.machine.isStreaming)
    for _ in 1...3 {
      stage.advance(.seconds(15))
      stage.send(.streamHeard)
    }
    #expect(stage.requests.count == 1)
    stage.advance(.seconds(15))
    #expect(stage.requests.count == 2)
    #expect(!stage.last.notes.contains(.rescued))
  }

  @Test
  func `R33: a silent stream is lost after 2.5 heartbeats, resynced and polled normally`() {
    var stage = Self.live()
    let before = stage.machine.label(at: stage.now)
    stage.advance(.milliseconds(37_499))
    #expect(stage.machine.isStreaming && stage.requests.count == 1)
    stage.now = stage.now + .milliseconds(1)
    let effects = stage.send(.woke)
    #expect(effects.stream == .close && effects.notes == .streamLost)
    #expect(effects.changes.isEmpty && stage.machine.failure == nil)
    #expect(stage.advanceToRequest(within: .seconds(1)) != nil)
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(10))
    #expect(stage.machine.label(at: stage.now).marker == before.marker)
  }

  @Test
  func `R33: a change notice leads to one request, and a swarm of them to few`() {
    var stage = Self.live()
    stage.advance(.seconds(5))
    #expect(stage.send(.streamChanged).request != nil)
    for _ in 1...50 { stage.send(.streamChanged) }
    stage.reply(.content(.other))
    #expect(stage.requests.count == 2)
    #expect(stage.nextInterval() == .seconds(1))
    stage.reply(.unchanged)
    for _ in 1...50 { stage.send(.streamChanged) }
    #expect(stage.requests.count == 3)
    #expect(stage.nextInterval() == .seconds(1))
  }

  @Test
  func `R33: a body from the stream passes the same downgrade protection and ends no request`() {
    var stage = Stage(Self.streaming.with { $0.downgradeProtection = .seconds(300) })
    stage.send(.started)
    stage.reply(.content(.live))
    stage.send(.streamOpened(isResumed: false))
    _ = stage.advanceToRequest()
    let out = stage.machine.outstanding
    let context = Context(question: 1)
    let effects = stage.send(.streamDelivered(context, Answer(.content(.scheduled))))
    #expect(effects.snapshot == .keep && effects.cancel == nil)
    let fresh = Content(Revision(8), hasRealtime: true)
    let applied = stage.send(.streamDelivered(context, Answer(.content(fresh))))
    #expect(applied.snapshot == .apply && applied.cancel == nil)
    #expect(stage.machine.outstanding == out)
    let foreign = stage.send(.streamDelivered(Context(question: 9), Answer(.content(.plain))))
    #expect(foreign.notes == .superseded && foreign.snapshot == .none)
  }

  @Test
  func `R33: a gap is closed by one request`() {
    var stage = Self.live()
    stage.advance(.seconds(5))
    stage.send(.streamGap)
    #expect(stage.advanceToRequest(within: .seconds(1)) != nil)
    stage.reply(.unchanged)
    #expect(stage.machine.outstanding == nil && stage.machine.isStreaming)
  }

  @Test
  func `R33: a gap during a request leaves a follow-up, whose answer cannot miss anything`() {
    var stage = Self.live()
    stage.send(.refreshRequested(.person))
    stage.send(.streamGap)
    #expect(stage.reply(.unchanged).request == nil)
    #expect(stage.advanceToRequest(within: .seconds(1))?.refresh.reason == .change)
    stage.reply(.unchanged)
    #expect(stage.machine.outstanding == nil)
  }

  @Test
  func `R33: a change notice does not shorten the wait after a failure, nor does a lost stream`() {
    var stage = Self.live()
    stage.send(.refreshRequested(.person))
    stage.reply(.throttled(.seconds(30)))
    stage.send(.streamChanged)
    stage.send(.streamGap)
    stage.send(.streamHeard)
    #expect(stage.machine.outstanding == nil)
    let throttled = stage.now
    stage.send(.streamLost)
    while stage.last.request == nil {
      stage.now = stage.machine.alarm ?? stage.now
      stage.send(.woke)
    }
    #expect(stage.now - throttled == .seconds(30))
  }

  @Test
  func `R35: a prefetch is one request of low priority and then silence`() {
    var stage = Stage(.plain)
    #expect(stage.send(.prefetch).request?.priority == .low)
    #expect(!stage.machine.isLoading)
    stage.reply(.content(.plain))
    #expect(stage.machine.alarm == nil && stage.machine.snapshot != nil)
    // Inside the budget of the cadence.
    stage.skip(.seconds(9))
    #expect(stage.send(.prefetch).request == nil && stage.last.notes == .prefetchDropped)
    stage.skip(.seconds(1))
    #expect(stage.send(.prefetch).request != nil)
  }

  @Test
  func `R35: a prefetch is dropped when metered, offline, in the background or watched`() {
    for event in [
      Event.connectivity(.metered), .connectivity(.offline), .lifecycle(.background), .started,
    ] {
      var stage = Stage(.plain)
      stage.send(event)
      #expect(stage.send(.prefetch).request == nil && stage.last.notes == .prefetchDropped)
    }
    var stage = Stage(.plain)
    stage.send(.prefetch)
    #expect(stage.send(.connectivity(.metered)).cancel != nil)
  }

  @Test
  func `R35: a new observer joins the prefetch`() {
    var stage = Stage(.plain)
    stage.send(.prefetch)
    #expect(stage.send(.started).request == nil && stage.machine.isLoading)
    stage.reply(.content(.plain))
    #expect(stage.nextInterval() == .seconds(10))
  }
}
