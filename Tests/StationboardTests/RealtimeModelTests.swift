import Testing

@testable import StationboardServer

/// What a departure says of its delay (research §3.10 and §5.2): one rule, no contradictions.
@Suite struct RealtimeModelTests {
  private func row(
    _ delay: Int?,
    _ flags: BoardRow.RealtimeFlags = []
  ) -> BoardRow {
    let call = RealtimeCall(
      effective: Int32(delay ?? 0),
      scheduled: 0,
      trip: 0,
      stop: 0,
      platform: RealtimeCall.usualPlatform,
      position: 0,
      flags: delay == nil ? flags : flags.union(.predicted)
    )
    let trip = RealtimeTrip(kind: .running, trip: 0, day: 20_000, sourceTime: 1_800_000_000)
    return BoardRow(call, trip, number: 0, base: 1_800_000_000)
  }

  @Test(arguments: [
    (120, 2), (179, 3), (180, 3), (181, 4), (29, 0), (30, 1), (0, 0), (60, 1), (61, 2), (-30, 0),
    (-59, 0), (-60, -1), (-61, -1), (-119, -1), (-120, -2), (14_400, 240),
  ])
  func `§5.2: seconds become minutes, early ones negative`(seconds: Int, minutes: Int) {
    let delay = DelayReading(row(seconds), isTrain: false)
    #expect(delay.seconds == seconds)
    #expect(delay.minutes == minutes)
    #expect(delay.rawMinutes == minutes)
  }

  @Test func `§5.2: no realtime is neither a delay nor a status`() {
    let delay = DelayReading(row(nil), isTrain: false)
    #expect(delay.minutes == nil)
    #expect(delay.seconds == nil)
    #expect(delay.status == .unknown)
  }

  @Test func `§5.2: predicted as scheduled is on time`() {
    #expect(DelayReading(row(0), isTrain: true).status == .onTime)
    #expect(DelayReading(row(0), isTrain: true).minutes == 0)
  }

  @Test(arguments: [(36, 0), (60, 0), (61, 2), (119, 2), (121, 3), (-61, -1)])
  func `§5.2: a train up to a minute late is on time, and everything says so`(
    seconds: Int,
    minutes: Int
  ) {
    let delay = DelayReading(row(seconds), isTrain: true)
    #expect(delay.minutes == minutes)
    #expect(delay.status == (minutes > 0 ? .delayed : minutes < 0 ? .early : .onTime))
    #expect(delay.rawMinutes == DelayReading.minutes(seconds))
  }

  @Test func `§5.2: a bus a minute late is a minute late`() {
    let delay = DelayReading(row(60), isTrain: false)
    #expect(delay.minutes == 1)
    #expect(delay.status == .delayed)
  }

  @Test func `status and minutes agree for every delay of four hours and either kind`() {
    for seconds in -14_400...14_400 {
      for isTrain in [true, false] {
        let delay = DelayReading(row(seconds), isTrain: isTrain)
        let minutes = delay.minutes ?? .max
        switch delay.status {
        case .delayed: #expect(minutes > 0)
        case .early: #expect(minutes < 0)
        case .onTime: #expect(minutes == 0)
        default: Issue.record("\(seconds) s is \(delay.status)")
        }
      }
    }
  }

  @Test func `§5.2: a skipped stop is cancelled as a stop`() {
    let skipped = row(nil, .skipped)
    #expect(skipped.isCancelled)
    #expect(skipped.cancelReason == .stop)
    #expect(DelayReading(skipped, isTrain: false).status == .skippedStop)
  }

  @Test func `§5.2: a cancelled trip that also skips is cancelled as a trip`() {
    let both = row(nil, [.skipped, .cancelled])
    #expect(both.cancelReason == .trip)
    #expect(DelayReading(both, isTrain: false).status == .cancelled)
  }

  @Test func `a cancelled trip has no delay`() {
    #expect(DelayReading(row(300, .cancelled), isTrain: false).seconds == nil)
  }

  @Test(arguments: [
    ("EV", true), ("EV1", true), ("ev 12", true), ("EVA", false), ("E", false), ("", false),
    ("Bahnersatz", true), ("Bus de remplacement", true), ("17", false),
    ("Servizio sostitutivo", true),
  ])
  func `a substitute service is told by its line`(line: String, isSubstitute: Bool) {
    #expect(ReplacementService.isSubstitute(line) == isSubstitute)
  }

  @Test(arguments: [
    (-5.0, RealtimeFreshness.fresh), (45, .fresh), (45.1, .ageing), (180, .ageing), (181, .stale),
  ])
  func `realtime is fresh up to 45 s, then ageing, then stale`(
    age: Double,
    freshness: RealtimeFreshness
  ) {
    #expect(RealtimeDecay.standard.freshness(age: age) == freshness)
  }
}
