import Freshness
import Hashing
import Testing

@Suite("Schedule: R8 to R15")
struct ScheduleRules {
  @Test
  func `R8: the chain does not die when something else asks during a scheduled request`() {
    // mesdeparts.md 1.1.9: the web client of the seed loses its timer exactly here.
    var stage = Stage.settled(.departuresWeb)
    _ = stage.advanceToRequest()
    stage.send(.refreshRequested(.person))
    stage.send(.focused)
    stage.reply(.unchanged)
    stage.reply(.unchanged)
    #expect(stage.machine.outstanding == nil)
    #expect(stage.advanceToRequest(within: .seconds(16)) != nil)
  }

  @Test
  func `R8: an event after a lost alarm finds the way back`() {
    var stage = Stage.settled(.plain)
    stage.skip(.seconds(11))
    #expect(stage.send(.activity(.active)).request != nil)
  }

  @Test
  func `R9: the interval follows activity, as seed 003 says`() {
    var stage = Stage.settled(.workspaces)
    #expect(stage.nextInterval() == .seconds(10))
    stage.reply(.unchanged, activity: .active)
    #expect(stage.nextInterval() == .milliseconds(1_500))
    stage.reply(.unchanged, activity: .quiet)
    #expect(stage.nextInterval() == .seconds(3))
    stage.run(.seconds(120), answering: .unchanged, roundTrip: .zero)
    _ = stage.advanceToRequest()
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(10))
  }

  @Test
  func `R9: equal facts give equal waits`() {
    let first = Stage.settled(.workspaces)
    var second = Stage.settled(.workspaces)
    #expect(first.machine == second.machine)
    second.send(.woke)
    #expect(second.machine == first.machine)
  }

  @Test(arguments: [
    (Policy.departuresWeb, Int64(14_400), Int64(15_600)),
    (.departuresNative, 18_000, 22_000),
    (.departuresWeb5s, 4_400, 5_600),
  ])
  func `R10: jitter is drawn per wait and stays within its bounds`(
    policy: Policy,
    least: Int64,
    most: Int64
  ) {
    var seen: Set<Int64> = []
    var generator = SplitMix64(seed: 1)
    var stage = Stage.settled(policy)
    for _ in 1...300 {
      stage.random = generator.randomSample()
      let interval = stage.nextInterval()?.milliseconds ?? 0
      stage.reply(.unchanged)
      seen.insert(interval)
    }
    #expect(seen.count > 100)
    #expect(seen.allSatisfy { (least...most).contains($0) })
  }

  @Test
  func `R10: nothing that is scheduled is faster than the cadence allows`() {
    var generator = SplitMix64(seed: 2)
    for policy in [Policy.departuresWeb, .departuresNative] {
      var stage = Stage.settled(policy)
      for step in 1...300 {
        stage.random = generator.randomSample()
        stage.send(.paceRequested(step.isMultiple(of: 2) ? .zero : nil))
        stage.send(.acted)
        let interval = stage.nextInterval() ?? .zero
        #expect(interval >= policy.leastInterval)
        stage.reply(.unchanged)
      }
    }
  }

  @Test
  func `R11: the background is a pause for departures`() {
    var stage = Stage.settled(.departuresWeb)
    stage.send(.lifecycle(.background))
    #expect(stage.machine.alarm == nil)
    stage.skip(.minutes(10))
    #expect(stage.send(.woke).request == nil)
  }

  @Test
  func `R11: the background is slow for workspaces`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.lifecycle(.background))
    #expect(stage.nextInterval() == .seconds(30))
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(30))
  }

  @Test
  func `R11: suspended means nothing at all`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.refreshRequested(.person))
    let ticket = stage.machine.outstanding
    #expect(stage.send(.lifecycle(.suspended)).cancel == ticket)
    #expect(stage.machine.alarm == nil && stage.machine.failure == nil)
    #expect(stage.send(.refreshRequested(.person)).request == nil)
  }

  @Test
  func `R11: focus events within a second and a half count once`() {
    var stage = Stage.settled(.plain)
    stage.advance(.seconds(5))
    for _ in 1...20 {
      stage.send(.focused)
      stage.reply(.unchanged)
      stage.advance(.milliseconds(70))
    }
    #expect(stage.requests.count == 2)
  }

  @Test
  func `R12: a return from suspension to the background goes on slowly`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.lifecycle(.suspended))
    stage.skip(.minutes(10))
    stage.send(.lifecycle(.background))
    #expect(stage.machine.alarm == stage.now + .seconds(30))
  }

  @Test
  func `R12: idle is slow and never dead`() {
    var stage = Stage.settled(.workspaces)
    stage.run(.minutes(60), answering: .unchanged, roundTrip: .milliseconds(200))
    #expect((355...365).contains(stage.requests.count))
  }

  @Test
  func `R13: a local action brings the active interval until the deadline`() {
    var stage = Stage.settled(.workspaces)
    stage.advance(.seconds(5))
    #expect(stage.send(.acted).request != nil)
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .milliseconds(1_500))
    stage.reply(.unchanged)
    stage.run(.seconds(30), answering: .unchanged, roundTrip: .zero)
    _ = stage.advanceToRequest()
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(10))
  }

  @Test
  func `R13: a burst ends when the expected change is seen`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.acted)
    _ = stage.advanceToRequest()
    stage.reply(.content(Content(Revision(9), fulfilsAction: true)))
    #expect(stage.nextInterval() == .seconds(10))
  }

  @Test
  func `R14: a timer that fires far too late asks within the spread`() {
    var stage = Stage.settled(.departuresNative)
    stage.skip(.seconds(200))
    stage.random = .highest
    let effects = stage.send(.woke)
    #expect(effects.request == nil && effects.notes == .drifted)
    #expect(effects.alarm == stage.now + .seconds(2))
    #expect(stage.advanceToRequest() != nil)
  }

  @Test
  func `R14: a little lateness is not drift`() {
    var stage = Stage.settled(.departuresWeb)
    stage.skip(.seconds(26))
    #expect(stage.send(.woke).request != nil)
  }

  @Test
  func `R14: a gap in time asks once and drops what was out`() {
    var stage = Stage.settled(.plain)
    stage.send(.refreshRequested(.person))
    let ticket = stage.machine.outstanding
    let effects = stage.send(.slept)
    #expect(effects.cancel == ticket && stage.machine.failure == nil)
    #expect(stage.advanceToRequest(within: .seconds(1))?.refresh.reason == .person)
  }

  @Test
  func `R15: a stall is broken by a full request, once a minute`() {
    var stage = Stage.settled(.plain)
    stage.skip(.seconds(50))
    stage.send(.woke)
    let request = stage.advanceToRequest()
    #expect(stage.last.notes.contains(.rescued))
    #expect(request?.validator == nil && request?.refresh.isForced == false)
    stage.reply(.unchanged)
    stage.skip(.seconds(50))
    stage.send(.woke)
    _ = stage.advanceToRequest()
    #expect(!stage.last.notes.contains(.rescued))
    #expect(stage.diagnostics.counters.rescues == 1)
  }

  @Test
  func `R34: degraded answers keep the cadence`() {
    for status in [RealtimeStatus.skippedBudget, .missingCache, .staleCache, .disabled] {
      var stage = Stage.settled(.plain)
      _ = stage.advanceToRequest()
      stage.reply(.content(.other), metadata: FreshnessMetadata(status: status))
      #expect(stage.nextInterval() == .seconds(10))
    }
    for mode in [ResponseMode.degradedStatic, .staleCacheFallback] {
      var stage = Stage.settled(.plain)
      _ = stage.advanceToRequest()
      stage.reply(.content(.other), metadata: FreshnessMetadata(mode: mode))
      #expect(stage.nextInterval() == .seconds(10))
      #expect(stage.send(.refreshRequested(.person)).request == nil)
    }
  }

  @Test(arguments: [
    FreshnessMetadata(mode: .staticTimeoutFallback), FreshnessMetadata(status: .guardedError),
  ])
  func `R34: fallbacks climb the ladder once, then keep the cadence`(metadata: FreshnessMetadata) {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    var intervals: [Int64] = []
    for _ in 1...7 {
      stage.reply(.content(.other), metadata: metadata)
      stage.random = .lowest
      intervals.append((stage.nextInterval()?.milliseconds ?? 0) / 1_000)
    }
    #expect(intervals == [2, 5, 10, 20, 10, 10, 10])
    #expect(stage.machine.failure == nil)
  }

  @Test
  func `R34: a flapping server does not raise the rate for long`() {
    var stage = Stage.settled(.plain)
    stage.random = .lowest
    for step in 1...120 {
      _ = stage.advanceToRequest()
      let status: RealtimeStatus = step.isMultiple(of: 2) ? .applied : .guardedError
      stage.reply(.content(.other), metadata: FreshnessMetadata(status: status))
    }
    #expect(stage.now - .start > .seconds(10 * 116))
  }

  @Test
  func `R34: disabled asks for nothing extra until a person speaks`() {
    var stage = Stage.settled(.plain)
    stage.random = .lowest
    _ = stage.advanceToRequest()
    stage.reply(
      .content(.other),
      metadata: FreshnessMetadata(mode: .staticTimeoutFallback, status: .disabled)
    )
    #expect(stage.nextInterval() == .seconds(10))
    stage.reply(.content(.other), metadata: FreshnessMetadata(mode: .staticTimeoutFallback))
    #expect(stage.nextInterval() == .seconds(10))
    stage.send(.refreshRequested(.person))
    stage.reply(.unchanged)
    stage.reply(.content(.other), metadata: FreshnessMetadata(mode: .staticTimeoutFallback))
    #expect(stage.nextInterval() == .seconds(2))
  }
}
