import Freshness
import Testing

@Suite("Freshness shown and recorded: R26 to R30")
struct LabelRules {
  @Test(arguments: [
    (FreshnessMetadata(mode: .full, status: .applied), FreshnessLabel.Marker.normal),
    (FreshnessMetadata(mode: .degradedStatic, status: .applied), .reduced(.mode(.degradedStatic))),
    (FreshnessMetadata(mode: .full, status: .staleCache), .reduced(.status(.staleCache))),
    (FreshnessMetadata(mode: .degradedStatic, status: .disabled), .reduced(.status(.disabled))),
    (FreshnessMetadata(mode: .unknown), .reduced(.mode(.unknown))),
    (FreshnessMetadata(), .none),
  ])
  func `R26: the status is read before the mode, and only applied and full is normal`(
    metadata: FreshnessMetadata,
    marker: FreshnessLabel.Marker
  ) {
    let label = FreshnessLabel(metadata: metadata, age: nil, isKept: false, policy: .departuresWeb)
    #expect(label.marker == marker)
  }

  @Test
  func `R26: the server's own age is read before its times`() {
    let served = WallTime(milliseconds: 100_000)
    let made = WallTime(milliseconds: 70_000)
    var metadata = FreshnessMetadata(serverTime: served, fetchedAt: made, cacheAge: .seconds(12))
    #expect(metadata.ageAtArrival == .seconds(12))
    metadata.cacheAge = nil
    #expect(metadata.ageAtArrival == .seconds(30))
    metadata.transit = .seconds(9)
    #expect(metadata.ageAtArrival == .seconds(39))
    metadata.fetchedAt = WallTime(milliseconds: 200_000)
    #expect(metadata.ageAtArrival == .seconds(9))
    metadata.serverTime = nil
    #expect(metadata.ageAtArrival == nil)
  }

  @Test
  func `R27: the age grows by the monotonic clock, offline too, whatever the wall clock says`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    let ticket = stage.machine.outstanding ?? Ticket(generation: 0, context: Context(question: 1))
    let day = Int64(86_400_000)
    var answer = Answer(.content(.live), metadata: FreshnessMetadata(cacheAge: .seconds(8)))
    answer.metadata.serverTime = WallTime(milliseconds: 10 * day)
    answer.deviceTime = WallTime(milliseconds: 11 * day)
    let effects = stage.send(.answered(ticket, answer))
    #expect(effects.sample?.skew == .milliseconds(day))
    stage.send(.connectivity(.offline))
    stage.skip(.seconds(60))
    #expect(stage.machine.label(at: stage.now).age == .seconds(68))
  }

  @Test
  func `R27: without figures from the server the age counts from the last confirmation`() {
    var stage = Stage.settled(.plain)
    #expect(stage.advanceToRequest() != nil)
    #expect(stage.machine.label(at: stage.now).age == .seconds(10))
    stage.reply(.unchanged)
    #expect(stage.machine.label(at: stage.now).age == .zero)
  }

  @Test
  func `R27: not modified does not make data younger than its server says`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    stage.reply(.content(.live), metadata: FreshnessMetadata(cacheAge: .seconds(5)))
    _ = stage.advanceToRequest()
    let age = stage.machine.label(at: stage.now).age
    stage.reply(.unchanged)
    #expect(stage.machine.label(at: stage.now).age == age)
    stage.send(.refreshRequested(.person))
    stage.reply(.unchanged, metadata: FreshnessMetadata(cacheAge: .seconds(2)))
    #expect(stage.machine.label(at: stage.now).age == .seconds(2))
  }

  @Test(arguments: [
    (Int64(0), Age.Wording.seconds(0)), (12_999, .seconds(12)), (59_999, .seconds(59)),
    (60_000, .minutes(1)), (200_000, .minutes(3)), (3_600_000, .hours(1)), (-5, .seconds(0)),
  ])
  func `R28: an age is spoken in seconds, minutes or hours`(age: Int64, wording: Age.Wording) {
    #expect(Age.wording(.milliseconds(age)) == wording)
  }

  @Test
  func `R29: a sample holds the whole request, and the ring forgets the oldest`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    let metadata = FreshnessMetadata(
      serverTime: WallTime(milliseconds: 50_000),
      fetchedAt: WallTime(milliseconds: 46_000),
      mode: .full,
      status: .applied
    )
    stage.reply(.content(.live), status: 200, metadata: metadata, after: .milliseconds(250))
    let sample = stage.diagnostics.ring.samples.first
    #expect(sample?.duration == .milliseconds(250) && sample?.status == 200)
    #expect(sample?.metadata == metadata && sample?.bytes == 100 && sample?.isConditional == false)
    #expect(sample?.cadence == .seconds(15) && sample?.ticket.context == Context(question: 1))
    #expect(sample?.verdict == .applyRealtime && sample?.isChange == true)
    for _ in 1...30 {
      _ = stage.advanceToRequest()
      stage.reply(.unchanged, status: 304)
    }
    let kept = stage.diagnostics.ring.samples
    #expect(kept.count == 20 && stage.diagnostics.ring.count == 20)
    #expect(kept.map(\.ticket.generation) == Array(12...31))
  }

  @Test
  func `R29: a ring without room keeps nothing`() {
    var stage = Stage(.plain.with { $0.ringCapacity = 0 })
    stage.send(.started)
    stage.reply(.content(.plain))
    #expect(stage.diagnostics.ring.samples.isEmpty)
  }

  @Test
  func `R30: the counters tell what happened`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    stage.send(.refreshRequested(.person))
    stage.reply(.content(.live), metadata: FreshnessMetadata(cacheAge: .seconds(4)))
    stage.reply(.content(.scheduled))
    _ = stage.advanceToRequest()
    stage.reply(.unreachable)
    _ = stage.advanceToRequest()
    stage.reply(.unchanged)
    stage.send(.answered(Ticket(generation: 1, context: Context(question: 1)), Answer(.unchanged)))
    let counters = stage.diagnostics.counters
    #expect(counters.requests == 4 && counters.answers == 4 && counters.bytes == 400)
    #expect(counters.unchanged == 1 && counters.unchangedPercent == 25)
    #expect(counters.coalesced == 1 && counters.kept == 1 && counters.retries == 1)
    #expect(counters.superseded == 1 && counters.rescues == 0)
    #expect(counters.measuredChanges == 1 && counters.changeToScreenLongest == .seconds(4))
  }
}
