import Freshness
import Testing

@Suite("Answers: R16 to R25")
struct AnswerRules {
  @Test
  func `R16: a 200 is applied and told`() {
    var stage = Stage(.plain)
    stage.send(.started)
    let effects = stage.reply(.content(.plain))
    #expect(effects.snapshot == .apply)
    #expect(effects.changes.isSuperset(of: [.snapshot, .loading]))
  }

  @Test
  func `R16: not modified moves verified, leaves changed, clears the error and tells of no copy`() {
    var stage = Stage.settled(.plain)
    for _ in 1...3 {
      _ = stage.advanceToRequest()
      stage.reply(.unreachable)
    }
    #expect(stage.machine.failure?.kind == .unreachable)
    _ = stage.advanceToRequest()
    let effects = stage.reply(.unchanged)
    #expect(effects.snapshot == .verify && effects.changes == .failure)
    #expect(stage.machine.snapshot?.verifiedAt == stage.now)
    #expect(stage.machine.snapshot?.changedAt == .start)
    #expect(stage.machine.failuresInARow == 0)
    #expect(stage.nextInterval() == .seconds(10))
  }

  @Test
  func `R16: a full body that says the same is not a change`() {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    let effects = stage.reply(.content(.plain))
    #expect(effects.snapshot == .verify && effects.changes.isEmpty)
    #expect(effects.sample?.isChange == false)
  }

  @Test
  func `R17: not modified without a snapshot leads to one unconditional request`() {
    var stage = Stage.settled(.plain)
    #expect(stage.advanceToRequest()?.validator == Validator(11))
    stage.send(.evicted)
    let effects = stage.reply(.unchanged)
    #expect(effects.request != nil && effects.request?.validator == nil)
    // A server that insists is a failure, and does not cause a loop.
    let second = stage.reply(.unchanged)
    #expect(second.request == nil)
    #expect(stage.machine.failure?.kind == .missingBody)
    #expect(stage.nextInterval() == .seconds(2))
  }

  @Test
  func `R18: five not-modified answers in a row lead to one full request`() {
    var stage = Stage.settled(.plain)
    for _ in 1...5 {
      #expect(stage.advanceToRequest()?.validator != nil)
      stage.reply(.unchanged)
    }
    #expect(stage.advanceToRequest()?.validator == nil)
    stage.reply(.content(.plain))
    #expect(stage.advanceToRequest()?.validator != nil)
  }

  @Test
  func `R18: ten minutes without a full answer lead to one, and a policy may turn it off`() {
    var stage = Stage.settled(Policy.workspaces.with { $0.unchangedFor = .minutes(10) })
    stage.run(.seconds(595), answering: .unchanged, roundTrip: .zero)
    #expect(stage.requests.dropFirst().allSatisfy { $0.request.validator != nil })
    stage.run(.seconds(20), answering: .content(.plain), roundTrip: .zero)
    #expect(stage.requests.dropFirst().filter { $0.request.validator == nil }.count == 1)
    var never = Stage.settled(Policy.workspaces.with { $0.unchangedFor = nil })
    never.run(.minutes(60), answering: .unchanged, roundTrip: .zero)
    #expect(never.requests.dropFirst().allSatisfy { $0.request.validator != nil })
  }

  @Test
  func `R19: a validator of a withheld or superseded response is never used`() {
    var stage = Stage.settled(.departuresWeb, .live)
    #expect(stage.advanceToRequest()?.validator == Validator(13))
    #expect(stage.reply(.content(.scheduled)).snapshot == .keep)
    #expect(stage.advanceToRequest()?.validator == Validator(13))
    let old = stage.requests[0].request.ticket
    stage.send(.answered(old, Answer(.content(.other))))
    stage.reply(.unchanged)
    #expect(stage.advanceToRequest()?.validator == Validator(13))
  }

  @Test
  func `R19: another identity drops the validator`() {
    var stage = Stage.settled(.plain)
    let effects = stage.send(.contextChanged(Context(question: 1, identity: 2)))
    #expect(effects.snapshot == .clear && effects.request?.validator == nil)
    #expect(effects.request != nil)
  }

  @Test
  func `R20: a withheld response keeps the board, counts as success and labels it`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    stage.reply(.content(.live), metadata: FreshnessMetadata(mode: .full, status: .applied))
    _ = stage.advanceToRequest()
    stage.reply(.unreachable)
    _ = stage.advanceToRequest()
    let effects = stage.reply(
      .content(.scheduled),
      metadata: FreshnessMetadata(status: .missingCache)
    )
    #expect(effects.snapshot == .keep && effects.notes.contains(.kept))
    #expect(effects.changes == .label)
    #expect(stage.machine.snapshot?.revision == Content.live.revision)
    #expect(stage.machine.failuresInARow == 0)
    let label = stage.machine.label(at: stage.now)
    #expect(label.isKept && label.marker == .reduced(.status(.missingCache)))
    // When the better copy is confirmed, its own label returns.
    _ = stage.advanceToRequest()
    stage.reply(.unchanged)
    #expect(stage.machine.label(at: stage.now).marker == .normal)
  }

  @Test
  func `R20: a person's hard refresh also makes the board worse`() {
    var stage = Stage.settled(.departuresWeb, .live)
    stage.send(.refreshRequested(.hardRefresh))
    #expect(stage.reply(.content(.scheduled)).snapshot == .apply)
  }

  @Test
  func `R20: the cap counts the age of the data, not of its arrival`() {
    var stage = Stage(.departuresWeb)
    stage.send(.started)
    stage.reply(.content(.live), metadata: FreshnessMetadata(cacheAge: .seconds(40)))
    stage.skip(.seconds(259))
    stage.send(.refreshRequested(.person))
    #expect(stage.reply(.content(.scheduled)).snapshot == .keep)
    stage.skip(.seconds(1))
    stage.send(.refreshRequested(.person))
    #expect(stage.reply(.content(.scheduled)).snapshot == .apply)
  }

  @Test(arguments: [
    (Int32(400), Outcome.refused), (404, .refused), (409, .refused), (422, .refused),
    (401, .unauthorised), (403, .unauthorised), (410, .gone), (429, .throttled(nil)),
    (500, .serverError), (502, .serverError), (503, .serverError), (504, .serverError),
    (408, .timedOut), (204, .unchanged), (304, .unchanged),
  ])
  func `R21: different statuses are different outcomes`(status: Int32, outcome: Outcome) {
    #expect(Outcome(status: status) == outcome)
  }

  @Test
  func `R21: a 503 with a Retry-After is throttling`() {
    #expect(Outcome(status: 503, retryAfter: .seconds(3)) == .throttled(.seconds(3)))
  }

  @Test(arguments: [
    (Outcome.refused, Failure.Kind.refused, Int64(5)), (.unauthorised, .unauthorised, 5),
    (.gone, .gone, 24 * 60),
  ])
  func
    `R21, R39: a wrong question is shown at once and repeated after minutes, or a day if it is gone`(
      outcome: Outcome,
      kind: Failure.Kind,
      minutes: Int64
    )
  {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    stage.reply(outcome, status: 404)
    #expect(stage.machine.failure?.kind == kind && stage.machine.failure?.status == 404)
    #expect(stage.machine.snapshot != nil)
    let answered = stage.now
    #expect(stage.advanceToRequest(within: .minutes(2 * minutes)) != nil)
    #expect((answered + .minutes(minutes)...answered + .minutes(minutes + 1)).contains(stage.now))
    stage.reply(outcome)
    // Another query, or the user, is handled differently.
    #expect(stage.send(.refreshRequested(.person)).request != nil)
  }

  @Test
  func `R21: a Retry-After is obeyed, by a person too`() {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    stage.reply(.throttled(.seconds(90)), status: 429)
    #expect(stage.send(.refreshRequested(.hardRefresh)).request == nil)
    #expect(stage.last.notes == .deferred)
    let request = stage.advanceToRequest()
    #expect(stage.now - .start == .seconds(100))
    #expect(request?.refresh.isForced == true)
  }

  @Test
  func `R21: a Retry-After is capped, and a date is measured on the server's clock`() {
    let cap = Instant.Duration.minutes(5)
    let noon = WallTime(milliseconds: 1_700_000_000_000)
    let later = WallTime(milliseconds: noon.milliseconds + 90_000)
    #expect(RetryHint.seconds(3_600).wait(serverTime: nil, cap: cap) == cap)
    #expect(RetryHint.seconds(.max).wait(serverTime: nil, cap: cap) == cap)
    #expect(RetryHint.seconds(-5).wait(serverTime: nil, cap: cap) == .zero)
    #expect(RetryHint.date(later).wait(serverTime: noon, cap: cap) == .seconds(90))
    #expect(RetryHint.date(noon).wait(serverTime: later, cap: cap) == .zero)
    #expect(RetryHint.date(later).wait(serverTime: nil, cap: cap) == RetryHint.unmeasuredWait)
    #expect(RetryHint.date(later).wait(serverTime: nil, cap: .seconds(5)) == .seconds(5))
  }

  @Test
  func `R21: an undecodable body is transient once, then reported with its reason`() {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    stage.reply(.undecodable(reason: 5), status: 200)
    #expect(stage.machine.failure == nil)
    _ = stage.advanceToRequest()
    stage.reply(.undecodable(reason: 6), status: 200)
    #expect(stage.machine.failure?.kind == .undecodable(reason: 6))
    #expect(stage.machine.snapshot?.validator == Validator(11))
  }

  @Test
  func `R22: a cancellation is not an error`() {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    let effects = stage.reply(.cancelled)
    #expect(effects.changes.isEmpty && effects.sample == nil)
    #expect(stage.machine.failure == nil && stage.machine.failuresInARow == 0)
    #expect(stage.machine.alarm != nil)
  }

  @Test
  func `R23: the ladder is climbed in order from its first step and capped at its last`() {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    var waits: [Int64] = []
    for _ in 1...7 {
      stage.reply(.unreachable)
      waits.append(stage.nextInterval()?.milliseconds ?? 0)
    }
    #expect(waits == [700, 2_000, 5_000, 10_000, 20_000, 20_000, 20_000])
  }

  @Test
  func `R23: one success of any kind of request ends the backoff`() {
    var stage = Stage.settled(.plain)
    for _ in 1...4 {
      _ = stage.advanceToRequest()
      stage.reply(.unreachable)
    }
    stage.send(.refreshRequested(.person))
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(10))
    stage.reply(.unreachable)
    #expect(stage.nextInterval() == .milliseconds(700))
  }

  @Test
  func `R23: a Retry-After beats the ladder upward only`() {
    var stage = Stage.settled(.plain)
    for _ in 1...5 {
      _ = stage.advanceToRequest()
      stage.reply(.unreachable)
    }
    _ = stage.advanceToRequest()
    stage.reply(.throttled(.seconds(3)))
    #expect(stage.nextInterval() == .seconds(20))
  }

  @Test
  func `R24: offline there are no requests and no failures; online asks once, jittered`() {
    var stage = Stage.settled(.plain)
    stage.send(.refreshRequested(.person))
    let ticket = stage.machine.outstanding
    let effects = stage.send(.connectivity(.offline))
    #expect(effects.cancel == ticket && effects.alarm == nil)
    stage.skip(.minutes(3))
    #expect(stage.send(.woke).request == nil && stage.machine.failure == nil)
    stage.random = .highest
    #expect(stage.send(.connectivity(.online)).request == nil)
    #expect(stage.last.alarm == stage.now + .seconds(1))
    // The user's request is kept.
    #expect(stage.advanceToRequest()?.refresh.reason == .person)
    #expect(!stage.last.notes.contains(.rescued))
  }

  @Test
  func `R25: the loading hint is cleared on every path out`() {
    let ends: [(inout Stage) -> Void] = [
      { $0.reply(.content(.plain)) }, { $0.reply(.unchanged) }, { $0.reply(.unreachable) },
      { $0.reply(.cancelled) }, { $0.reply(.refused) }, { $0.send(.stopped) },
      { $0.send(.connectivity(.offline)) }, { $0.send(.lifecycle(.suspended)) },
      { $0.advance(.seconds(12)) },
    ]
    for end in ends {
      var stage = Stage.settled(.plain)
      stage.send(.refreshRequested(.person))
      #expect(stage.machine.isLoading)
      end(&stage)
      #expect(!stage.machine.isLoading && stage.last.changes.contains(.loading))
    }
  }

  @Test
  func `R25: scheduled and queued scheduled requests never show the hint`() {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    #expect(!stage.machine.isLoading)
    stage.send(.refreshRequested(.schedule))
    stage.reply(.unchanged)
    #expect(stage.machine.outstanding != nil && !stage.machine.isLoading)
  }
}
