import Freshness
import Hashing
import Testing

/// The scenario catalogue of peers-client.md 3.3, as far as one machine goes.
@Suite("peers-client.md 3.3")
struct PeerScenarios {
  // MARK: Cadence

  @Test
  func `R5: P1 the first observer polls at once and the second joins`() {
    var stage = Stage(.plain)
    #expect(stage.send(.started).request != nil)
    #expect(stage.send(.started).request == nil)
  }

  @Test
  func `R9: P2 the shortest requested cadence wins, and taking it away restores`() {
    var stage = Stage.settled(.plain)
    stage.send(.paceRequested(.seconds(4)))
    #expect(stage.nextInterval() == .seconds(4))
    stage.reply(.unchanged)
    stage.send(.paceRequested(nil))
    #expect(stage.nextInterval() == .seconds(10))
  }

  @Test
  func `R11: P3 and Z1 when the last observer leaves nothing is left behind`() {
    var stage = Stage(HintRules.streaming)
    stage.send(.started)
    let ticket = stage.machine.outstanding
    stage.send(.refreshRequested(.person))
    let effects = stage.send(.stopped)
    #expect(effects.cancel == ticket && effects.alarm == nil && effects.stream == .close)
    #expect(effects.request == nil && stage.machine.failure == nil)
    #expect(stage.send(.woke).request == nil)
  }

  @Test
  func `R9: P4 the interval is chosen with the new data in hand`() {
    var stage = Stage.settled(.workspaces)
    _ = stage.advanceToRequest()
    stage.reply(.content(.other), activity: .active)
    #expect(stage.nextInterval() == .milliseconds(1_500))
  }

  @Test
  func `R9: P5 and L5 a change after arming or during a request is honoured`() {
    var stage = Stage.settled(.workspaces)
    stage.advance(.milliseconds(500))
    stage.send(.activity(.active))
    #expect(stage.machine.alarm == .start + .milliseconds(1_500))
    _ = stage.advanceToRequest()
    stage.send(.activity(.quiet))
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(3))
  }

  @Test
  func `R10: P6 a request for no interval makes no tight loop`() {
    var stage = Stage.settled(.plain)
    stage.send(.paceRequested(.zero))
    #expect(stage.nextInterval() == Policy.plain.leastInterval)
    stage.reply(.unchanged)
    stage.send(.paceRequested(.longest))
    #expect(stage.advanceToRequest() == nil && stage.machine.alarm != nil)
  }

  @Test
  func `R8: P7 a manual refresh re-arms the timer`() {
    var stage = Stage.settled(.plain)
    stage.advance(.seconds(9))
    stage.send(.refreshRequested(.person))
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(10))
  }

  @Test
  func `R8: P8 an external write re-arms the timer and outdates what is out`() {
    var stage = Stage.settled(.plain)
    stage.advance(.seconds(9))
    let effects = stage.send(.wrote(Revision(50)))
    #expect(effects.changes == [.snapshot, .label] && effects.alarm == stage.now + .seconds(9))
    stage.send(.refreshRequested(.schedule))
    let out = stage.machine.outstanding
    #expect(stage.send(.wrote(Revision(51))).cancel == out)
    #expect(stage.machine.snapshot?.revision == Revision(51))
    #expect(stage.advanceToRequest()?.validator == nil)
  }

  @Test
  func `R1: P9 no overlap and no rush when the server is slower than the interval`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.activity(.active))
    stage.run(.minutes(60), answering: .unchanged, roundTrip: .seconds(2))
    #expect((1_000...1_035).contains(stage.requests.count))
  }

  @Test
  func `R14: P10 a long sleep is one catch-up`() {
    var stage = Stage.settled(.plain)
    stage.skip(.minutes(60))
    for _ in 1...10 { stage.send(.woke) }
    stage.advance(.seconds(1))
    #expect(stage.requests.count == 2)
  }

  @Test
  func `R8: P11 timers of months do not overflow`() {
    let month = Instant.Duration.seconds(86_400 * 31)
    var stage = Stage.settled(Policy(every: month))
    #expect(stage.nextInterval() == nil && stage.machine.alarm == .start + month)
    #expect(stage.advanceToRequest(within: month) != nil)
    #expect(
      Instant.Duration.seconds(.max) == .longest && Instant.Duration.longest + month == .longest
    )
    #expect(
      Instant.Duration.longest * -2 == .milliseconds(.min)
        && Instant.Duration.longest * 2 == .longest
    )
    #expect(
      Instant.Duration.seconds(-3) * 2 == .seconds(-6)
        && Instant.Duration.seconds(-3) * -2 == .seconds(6)
    )
    #expect(Instant.Duration.longest * 0 == .zero)
    #expect(Instant.Duration.milliseconds(.min) - month == .milliseconds(.min))
  }

  // MARK: Races

  @Test
  func `R3: P-R1 the answer to the first request cannot replace the second's`() {
    var stage = Stage.settled(.plain)
    stage.send(.refreshRequested(.person))
    let first = stage.machine.outstanding ?? Ticket(generation: 0, context: Context(question: 1))
    stage.send(.slept)
    _ = stage.advanceToRequest()
    stage.reply(.content(.other))
    stage.send(.answered(first, Answer(.content(.live))))
    #expect(stage.machine.snapshot?.revision == Content.other.revision)
  }

  @Test
  func `R2: P-R4 a refresh in flight is one follow-up in the context of the latest caller`() {
    var stage = Stage.settled(.plain)
    stage.send(.refreshRequested(.person))
    stage.send(.refreshRequested(.person))
    let effects = stage.send(.contextChanged(Context(question: 9)))
    #expect(effects.request?.ticket.context == Context(question: 9))
    stage.reply(.content(.plain))
    #expect(stage.machine.outstanding == nil)
  }

  @Test
  func `R22: P-R5 a cancelled request reverts to the last state`() {
    var stage = Stage.settled(.plain)
    for _ in 1...2 {
      _ = stage.advanceToRequest()
      stage.reply(.unreachable)
    }
    let failure = stage.machine.failure
    _ = stage.advanceToRequest()
    stage.reply(.cancelled)
    #expect(stage.machine.failure == failure && stage.machine.snapshot != nil)
  }

  @Test
  func `R3: P-R6 a duplicate completion is ignored`() {
    var stage = Stage.settled(.plain)
    let ticket = stage.requests[0].request.ticket
    let before = stage.machine
    #expect(stage.send(.answered(ticket, Answer(.content(.other)))).notes == .superseded)
    #expect(stage.machine == before)
  }

  @Test
  func `R2: P-R7 an invalidation in flight is fetched after it`() {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    stage.send(.refreshRequested(.change))
    #expect(stage.reply(.content(.other)).request?.refresh.reason == .change)
  }

  // MARK: Errors

  @Test
  func `R22: E1 and E2 an error stays until a success, and the snapshot through all of them`() {
    var stage = Stage.settled(Policy.plain.with { $0.retryDelay = nil })
    let outcomes: [Outcome] = [
      .serverError, .timedOut, .unreachable, .throttled(.seconds(1)), .undecodable(reason: 1),
      .refused, .unauthorised, .gone,
    ]
    for outcome in outcomes {
      _ = stage.advanceToRequest()
      stage.reply(outcome)
      #expect(stage.machine.failure != nil)
      #expect(stage.machine.snapshot?.revision == Content.plain.revision)
    }
    _ = stage.advanceToRequest(within: .minutes(25 * 60))
    #expect(stage.machine.failure != nil)
    stage.reply(.unchanged)
    #expect(stage.machine.failure == nil)
  }

  @Test
  func `R21: E4 validation errors are not retried, 408, 429 and 5xx are`() {
    for status in [Int32(400), 404, 409, 422, 408, 429, 500, 503] {
      var stage = Stage.settled(.plain)
      _ = stage.advanceToRequest()
      stage.reply(Outcome(status: status), status: status)
      let isRetried = (stage.nextInterval() ?? .zero) < .seconds(10)
      #expect(isRetried == (status == 408 || status >= 429))
    }
  }

  @Test
  func `R24: E6 and E7 a hidden or offline client does not retry and comes back with one poll`() {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    stage.reply(.unreachable)
    stage.send(.lifecycle(.background))
    stage.advance(.minutes(5))
    #expect(stage.requests.count == 2)
    stage.send(.lifecycle(.foreground))
    stage.reply(.unchanged)
    #expect(stage.requests.count == 3)
  }

  @Test(arguments: [Policy.departuresWeb, .departuresNative, .workspaces])
  func `R23: E9 an outage costs at most 181 requests an hour and recovers within 24 s`(
    policy: Policy
  ) {
    for seed in UInt64(1)...5 {
      var stage = Stage.settled(policy)
      var generator = SplitMix64(seed: seed)
      var worst = Instant.Duration.zero
      while stage.now < .start + .minutes(60) {
        stage.random = generator.randomSample()
        let previous = stage.now
        _ = stage.advanceToRequest()
        worst = max(worst, stage.now - previous)
        stage.skip(.milliseconds(200))
        stage.reply(.unreachable)
      }
      // The first request was before the outage.
      #expect(stage.requests.count - 1 <= 181)
      #expect(worst <= (policy == .workspaces ? .seconds(33) : .seconds(24)))
    }
  }

  // MARK: Conditional requests and downgrade protection

  @Test
  func `R19: V1 a validator is stored only after decoding and applying`() {
    var stage = Stage.settled(.departuresWeb, .live)
    _ = stage.advanceToRequest()
    stage.reply(.undecodable(reason: 1))
    #expect(stage.advanceToRequest()?.validator == Validator(13))
    stage.reply(.content(.scheduled))
    #expect(stage.advanceToRequest()?.validator == Validator(13))
  }

  @Test
  func `R20: V7 and V4 a 304 confirms the better copy that is kept`() {
    var stage = Stage.settled(.departuresWeb, .live)
    _ = stage.advanceToRequest()
    stage.reply(.content(.scheduled))
    #expect(stage.machine.label(at: stage.now).isKept)
    _ = stage.advanceToRequest()
    stage.reply(.unchanged)
    #expect(!stage.machine.label(at: stage.now).isKept)
    #expect(stage.machine.snapshot?.hasRealtime == true)
  }

  @Test
  func `R20: H1 to H4 better is kept until the cap, equal applies, and the clock is monotonic`() {
    var stage = Stage.settled(.departuresWeb, .live)
    var kept = 0
    while stage.machine.snapshot?.hasRealtime == true, kept < 40 {
      _ = stage.advanceToRequest()
      if stage.reply(.content(.scheduled)).snapshot == .keep { kept += 1 }
    }
    #expect(stage.now - .start >= .seconds(300) && stage.now - .start <= .seconds(316))
    stage.send(.refreshRequested(.person))
    #expect(stage.reply(.content(.live)).snapshot == .apply)
    stage.send(.refreshRequested(.person))
    let equal = Content(Revision(77), hasRealtime: true)
    #expect(stage.reply(.content(equal)).snapshot == .apply)
  }

  // MARK: Lifecycle and streams

  @Test
  func `R11: L1 and L2 many focus events are one poll`() {
    var stage = Stage.settled(.plain)
    stage.advance(.seconds(3))
    for _ in 1...20 { stage.send(.focused) }
    stage.reply(.unchanged)
    for _ in 1...20 { stage.send(.focused) }
    #expect(stage.requests.count == 2)
  }

  @Test
  func `R11: L4 a return within the interval does not double the loop`() {
    var stage = Stage.settled(.workspaces)
    for _ in 1...5 {
      stage.send(.lifecycle(.background))
      stage.send(.lifecycle(.foreground))
    }
    stage.reply(.unchanged)
    let before = stage.requests.count
    stage.run(.seconds(100), answering: .unchanged, roundTrip: .zero)
    #expect(stage.requests.count - before == 10)
  }

  @Test
  func `R33: W2 any frame keeps the stream alive`() {
    var stage = HintRules.live()
    for _ in 1...10 {
      stage.advance(.seconds(37))
      stage.send(.streamHeard)
      #expect(stage.machine.isStreaming)
    }
  }

  @Test
  func `R33: W3 one loss is one reconnect, though both halves report it`() {
    var stage = HintRules.live()
    stage.send(.streamLost)
    let alarm = stage.machine.alarm
    #expect(stage.send(.streamLost).alarm == alarm)
    var openings = 0
    for _ in 1...20 {
      stage.reply(.unchanged)
      stage.now = stage.machine.alarm ?? stage.now
      if stage.send(.woke).stream == .open { openings += 1 }
      guard stage.now - .start < .seconds(5) else { break }
    }
    #expect(openings == 1)
  }

  @Test
  func `R33: W5 the gap before a stream reopened is closed by one poll`() {
    var stage = HintRules.live()
    stage.send(.streamLost)
    _ = stage.advanceToRequest()
    stage.reply(.unchanged)
    stage.advance(.seconds(3))
    let count = stage.requests.count
    stage.send(.streamOpened(isResumed: false))
    stage.advance(.seconds(1))
    #expect(stage.requests.count == count + 1)
  }

  @Test
  func `R33: W6 a stream that never opens leaves polling at its cadence`() {
    var stage = Stage(HintRules.streaming)
    stage.send(.started)
    stage.run(.minutes(10), answering: .content(.plain), roundTrip: .zero)
    #expect((58...62).contains(stage.requests.count))
  }

  @Test
  func `R33: W9 only a stream that was stable starts the ladder afresh`() {
    var stage = HintRules.live()
    var waits: [Int64] = []
    for lived in [Int64(1), 1, 1, 61] {
      for _ in 0..<lived {
        stage.skip(.seconds(1))
        stage.send(.streamHeard)
        stage.reply(.unchanged)
      }
      stage.send(.streamLost)
      let lost = stage.now
      while stage.last.stream != .open {
        stage.reply(.unchanged)
        stage.now = max(stage.now, stage.machine.alarm ?? stage.now)
        stage.send(.woke)
      }
      waits.append((stage.now - lost).milliseconds / 1_000)
      stage.reply(.unchanged)
      stage.send(.streamOpened(isResumed: true))
    }
    #expect(waits == [2, 5, 10, 2])
  }

  @Test
  func `R33: a stream that slept is reopened`() {
    var stage = HintRules.live()
    #expect(stage.send(.slept).stream == .close)
    #expect(!stage.machine.isStreaming)
  }
}
