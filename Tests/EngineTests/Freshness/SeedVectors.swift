import Freshness
import Testing

@Suite("Vectors of the seeds")
struct SeedVectors {
  // MARK: mesdeparts.md 5.12

  @Test
  func `R20: mesdeparts 5_12 downgrade protection vectors`() {
    func verdict(
      isModified: Bool = true,
      hasRealtime: Bool = false,
      showsRealtime: Bool = true,
      isForced: Bool = false,
      age: Instant.Duration = .seconds(10)
    ) -> DowngradeProtection.Verdict {
      DowngradeProtection.verdict(
        isModified: isModified,
        hasRealtime: hasRealtime,
        showsRealtime: showsRealtime,
        isForced: isForced,
        age: age,
        cap: .milliseconds(300_000)
      )
    }
    #expect(verdict() == .keepBetter)
    #expect(verdict(age: .minutes(6)) == .applyTooOld)
    #expect(verdict(age: .milliseconds(300_000)) == .applyTooOld)
    #expect(verdict(age: .milliseconds(299_999)) == .keepBetter)
    #expect(verdict(showsRealtime: false) == .applyNothingToLose)
    #expect(verdict(hasRealtime: true) == .applyRealtime)
    #expect(verdict(isModified: false) == .keepUnmodified)
    #expect(verdict(isForced: true) == .applyForced)
    #expect(verdict(isModified: false, isForced: true, age: .minutes(9)) == .keepUnmodified)
  }

  @Test
  func `R16: mesdeparts 5_12 a 204 keeps the board and counts as success`() {
    var stage = Stage.settled(.departuresWeb, .live)
    _ = stage.advanceToRequest()
    let effects = stage.reply(Outcome(status: 204), status: 204)
    #expect(effects.snapshot == .verify && stage.machine.failure == nil)
    #expect(stage.machine.snapshot?.revision == Content.live.revision)
  }

  @Test
  func `R19: mesdeparts 5_12 a validator goes out only when the context is the same`() {
    var stage = Stage(.departuresWeb)
    #expect(stage.send(.started).request?.validator == nil)
    stage.reply(.content(.live))
    #expect(stage.advanceToRequest()?.validator == Validator(13))
    #expect(stage.send(.contextChanged(Context(question: 2))).request?.validator == nil)
  }

  @Test(arguments: [
    (FreshnessMetadata(status: .applied), Int64(0), FreshnessLabel.Badge.live),
    (FreshnessMetadata(status: .partial), 0, .partial),
    (FreshnessMetadata(status: .staleCache), 0, .unavailable),
    (FreshnessMetadata(status: .unknown), 0, .unknown),
    (FreshnessMetadata(status: .applied), 25_000, .live),
    (FreshnessMetadata(status: .applied), 26_000, .partial),
    (FreshnessMetadata(status: .applied), 46_000, .unavailable),
    (FreshnessMetadata(appliedFlag: true, reason: .missingCache), 0, .live),
    (FreshnessMetadata(reason: .partial), 0, .partial),
    (FreshnessMetadata(reason: .applied), 30_000, .partial),
    (FreshnessMetadata(), 0, .unknown),
    (FreshnessMetadata(status: .skippedBudget), 99_000, .unknown),
  ])
  func `R26: mesdeparts 5_12 badge vectors, ageing included`(
    metadata: FreshnessMetadata,
    age: Int64,
    badge: FreshnessLabel.Badge
  ) {
    let label = FreshnessLabel(
      metadata: metadata,
      age: .milliseconds(age),
      isKept: false,
      policy: .departuresWeb
    )
    #expect(label.badge == badge)
  }

  @Test
  func `R27: mesdeparts 5_12 the badge ages between answers`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    stage.reply(
      .content(.live),
      metadata: FreshnessMetadata(cacheAge: .seconds(20), status: .applied)
    )
    #expect(stage.machine.label(at: stage.now).badge == .live)
    #expect(stage.machine.label(at: stage.now + .seconds(6)).badge == .partial)
    #expect(stage.machine.label(at: stage.now + .seconds(26)).badge == .unavailable)
  }

  @Test(arguments: [
    (RealtimeStatus.applied, FreshnessLabel.Notice.none), (.skippedBudget, .mild),
    (.disabled, .mild), (.unknown, .mild), (.partial, .mild), (.missingCache, .unavailable),
    (.staleCache, .unavailable), (.guardedError, .unavailable),
  ])
  func `R26: mesdeparts 5_12 notice vectors`(
    status: RealtimeStatus,
    notice: FreshnessLabel.Notice
  ) {
    let metadata = FreshnessMetadata(status: status)
    let label = FreshnessLabel(metadata: metadata, age: nil, isKept: false, policy: .departuresWeb)
    #expect(label.notice == notice)
  }

  // MARK: Seed 000, the rows of its mapping table

  @Test
  func `R10: seed 000 row "Poll scheduling and jitter"`() {
    var stage = Stage.settled(.departuresWeb)
    stage.random = .lowest
    #expect(stage.machine.alarm == .start + .milliseconds(15_300))
    stage.reply(.unchanged)
    _ = stage.advanceToRequest()
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .milliseconds(14_700))
  }

  @Test
  func `R11: seed 000 row "Foreground and background gating"`() {
    for policy in [Policy.departuresWeb, .departuresNative] {
      var stage = Stage.settled(policy)
      _ = stage.advanceToRequest()
      #expect(stage.send(.lifecycle(.background)).cancel != nil)
      #expect(stage.machine.alarm == nil)
      #expect(stage.send(.lifecycle(.foreground)).request != nil)
    }
  }

  @Test
  func `R2: seed 000 row "In-flight coalescing"`() {
    var stage = Stage.settled(.departuresWeb)
    for _ in 1...3 { stage.send(.refreshRequested(.person)) }
    stage.reply(.content(.live))
    stage.reply(.content(.live))
    #expect(stage.requests.count == 3 && stage.machine.outstanding == nil)
  }

  @Test
  func `R3: seed 000 row "Superseded response handling"`() {
    var stage = Stage.settled(.departuresWeb)
    stage.send(.refreshRequested(.person))
    let old = stage.machine.outstanding ?? Ticket(generation: 0, context: Context(question: 1))
    stage.send(.contextChanged(Context(question: 2)))
    let effects = stage.send(.answered(old, Answer(.serverError)))
    #expect(effects.notes == .superseded && stage.machine.failure == nil)
  }

  @Test
  func `R4: seed 000 row "Stop switch stale UI prevention"`() {
    var stage = Stage.settled(.departuresNative, .live)
    #expect(stage.send(.contextChanged(Context(question: 2))).snapshot == .clear)
    #expect(stage.machine.snapshot == nil && stage.machine.isLoading)
  }

  @Test
  func `R25: seed 000 row "Loading hint ownership and clearing"`() {
    var stage = Stage.settled(.departuresWeb)
    _ = stage.advanceToRequest()
    stage.send(.refreshRequested(.person))
    #expect(!stage.machine.isLoading)
    stage.reply(.content(.live))
    #expect(stage.machine.isLoading)
    stage.reply(.content(.live))
    #expect(!stage.machine.isLoading)
  }

  @Test
  func `R20: seed 000 row "RT anti-downgrade"`() {
    for policy in [Policy.departuresWeb, .departuresNative] {
      var stage = Stage.settled(policy, .live)
      _ = stage.advanceToRequest()
      #expect(stage.reply(.content(.scheduled)).snapshot == .keep)
    }
    #expect(Policy.workspaces.downgradeProtection == nil && Policy.jobs.downgradeProtection == nil)
  }

  @Test
  func `R23: seed 000 row "Error and backoff rules"`() {
    let seconds = Policy.departuresNative.ladder.map { $0.milliseconds / 1_000 }
    #expect(seconds == [2, 5, 10, 20])
    #expect(Policy.departuresWeb.ladder == Policy.departuresNative.ladder)
  }

  @Test
  func `R19: seed 000 row "Cache-control": every validator is the machine's own`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    stage.reply(.content(Content(Revision(1))))
    #expect(stage.advanceToRequest()?.validator == nil)
  }

  @Test
  func `R29: seed 000 row "Meta freshness fields usage"`() {
    #expect(Diagnostics(policy: .departuresWeb).ring.capacity == 20)
    #expect(Diagnostics(policy: .departuresNative).ring.capacity == 50)
  }

  @Test
  func `R18: seed 000 row "Incremental since_rt and 204"`() {
    var stage = Stage.settled(.departuresWeb)
    var isConditional: [Bool] = []
    for _ in 1...6 {
      isConditional.append(stage.advanceToRequest()?.validator != nil)
      stage.reply(.unchanged, status: 204)
    }
    #expect(isConditional == [true, true, true, true, true, false])
  }

  // MARK: engine.md presets and seed 003

  @Test(arguments: [
    (Activity.active, false, 2_400), (.quiet, false, 360), (.quiet, true, 120),
  ])
  func `R9: seed 003 requests an hour hold within two percent`(
    activity: Activity,
    isBackground: Bool,
    count: Int
  ) {
    var stage = Stage.settled(.workspaces)
    stage.send(.activity(activity))
    if isBackground { stage.send(.lifecycle(.background)) }
    stage.run(.minutes(60), answering: .unchanged, roundTrip: .milliseconds(200))
    #expect(abs(stage.requests.count - count) <= count / 50 + 1)
  }
}
