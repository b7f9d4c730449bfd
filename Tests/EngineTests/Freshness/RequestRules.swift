import Freshness
import Testing

@Suite("Requests: R1 to R7")
struct RequestRules {
  @Test
  func `R1: at most one request is in flight, whatever is asked`() {
    var stage = Stage(.plain)
    stage.send(.started)
    for event in [
      Event.woke, .focused, .refreshRequested(.person), .refreshRequested(.schedule),
      .activity(.active), .acted,
      .lifecycle(.foreground), .prefetch, .started,
    ] {
      stage.send(event)
      #expect(stage.last.request == nil)
    }
    #expect(stage.requests.count == 1)
  }

  @Test
  func `R2: a refresh during a request leaves exactly one follow-up`() {
    var stage = Stage(.plain)
    stage.send(.started)
    for _ in 1...5 { stage.send(.refreshRequested(.person)) }
    stage.reply(.content(.plain))
    #expect(stage.requests.count == 2)
    stage.reply(.unchanged)
    #expect(stage.machine.outstanding == nil)
    #expect(stage.diagnostics.counters.coalesced == 5)
  }

  @Test
  func `R2: requests merge, a person beats the schedule and force survives`() {
    var stage = Stage.settled(.plain)
    stage.send(.refreshRequested(.schedule))
    stage.send(.refreshRequested(.hardRefresh))
    stage.send(.refreshRequested(.schedule))
    stage.reply(.unchanged)
    let request = stage.requests.last?.request
    #expect(request?.refresh.reason == .person)
    #expect(request?.refresh.isForced == true)
    #expect(request?.validator == nil)
    #expect(request?.priority == .high)
  }

  @Test(arguments: [
    Outcome.unchanged, .timedOut, .unreachable, .serverError, .refused, .undecodable(reason: 1),
    .cancelled,
  ])
  func `R2: the follow-up goes out however the request ended`(outcome: Outcome) {
    var stage = Stage.settled(.plain)
    stage.send(.refreshRequested(.schedule))
    stage.send(.refreshRequested(.person))
    #expect(stage.reply(outcome).request?.refresh.reason == .person)
  }

  @Test
  func `R3: an answer of another generation changes nothing`() {
    var stage = Stage.settled(.plain)
    let old =
      stage.requests.last?.request.ticket ?? Ticket(generation: 0, context: Context(question: 1))
    stage.send(.refreshRequested(.person))
    let before = stage.machine
    for outcome in [Outcome.content(.other), .unchanged, .serverError, .gone, .throttled(nil)] {
      let effects = stage.send(.answered(old, Answer(outcome, status: 500)))
      #expect(effects.notes == .superseded)
      #expect(effects.snapshot == .none && effects.changes.isEmpty && effects.request == nil)
    }
    #expect(stage.machine == before)
  }

  @Test
  func `R3: an answer about another context ends the request and shows nothing`() {
    var stage = Stage.settled(.plain)
    stage.send(.refreshRequested(.person))
    let generation = stage.machine.outstanding?.generation ?? 0
    let ticket = Ticket(generation: generation, context: Context(question: 2))
    let effects = stage.send(.answered(ticket, Answer(.content(.other))))
    #expect(effects.snapshot == .none && effects.changes == .loading)
    #expect(stage.machine.snapshot?.revision == Content.plain.revision)
    #expect(stage.machine.outstanding == nil && stage.machine.alarm != nil)
  }

  @Test
  func `R4: another context cancels, clears, resets and asks at once`() {
    var stage = Stage.settled(.departuresWeb, .live)
    for _ in 1...3 {
      _ = stage.advanceToRequest()
      stage.reply(.serverError, status: 500)
    }
    #expect(stage.machine.failuresInARow == 2)
    _ = stage.advanceToRequest()
    let old = stage.machine.outstanding
    let effects = stage.send(.contextChanged(Context(question: 2)))
    #expect(effects.cancel == old && old != nil)
    #expect(effects.snapshot == .clear)
    #expect(stage.machine.snapshot == nil && stage.machine.failure == nil)
    #expect(stage.machine.failuresInARow == 0)
    #expect(effects.request?.validator == nil)
    #expect(effects.request?.ticket.context == Context(question: 2))
    // The board without realtime data is not compared with that of the other stop.
    #expect(stage.reply(.content(.scheduled)).snapshot == .apply)
  }

  @Test
  func `R5: start polls first and sleeps then`() {
    var stage = Stage(.plain)
    #expect(stage.machine.alarm == nil)
    #expect(stage.send(.started).request != nil)
  }

  @Test
  func `R5: a person, a return and a focus ask at once in the middle of a sleep`() {
    var stage = Stage.settled(.plain)
    stage.advance(.seconds(3))
    #expect(stage.send(.refreshRequested(.person)).request != nil)
    stage.reply(.unchanged)
    stage.advance(.seconds(3))
    #expect(stage.send(.focused).request != nil)
    stage.reply(.unchanged)
    stage.send(.lifecycle(.background))
    #expect(stage.send(.lifecycle(.foreground)).request != nil)
  }

  @Test
  func `R5: a person asks at once in the middle of a backoff`() {
    var stage = Stage.settled(.plain)
    for _ in 1...4 {
      _ = stage.advanceToRequest()
      stage.reply(.unreachable)
    }
    stage.advance(.seconds(1))
    #expect(stage.send(.refreshRequested(.person)).request != nil)
    // A return to the foreground as well, and the backoff continues.
    stage.reply(.unreachable)
    stage.send(.lifecycle(.background))
    #expect(stage.send(.lifecycle(.foreground)).request != nil)
    stage.reply(.unreachable)
    #expect(stage.nextInterval() == .seconds(20))
  }

  @Test
  func `R6: a request that outlives its timeout is cancelled and counts as a failure`() {
    var stage = Stage(.plain)
    stage.send(.started)
    let ticket = stage.machine.outstanding
    #expect(stage.machine.alarm == .start + .seconds(12))
    stage.now = .start + .seconds(12)
    let effects = stage.send(.woke)
    #expect(effects.cancel == ticket)
    #expect(effects.notes.contains(.timedOut))
    #expect(effects.sample?.outcome == .timedOut)
  }

  @Test
  func `R6: an answer after the timeout is superseded, even if the alarm was lost`() {
    var stage = Stage(.plain)
    stage.send(.started)
    stage.skip(.seconds(13))
    let effects = stage.reply(.content(.plain))
    #expect(effects.notes.isSuperset(of: [.timedOut, .superseded]))
    #expect(effects.cancel != nil && stage.machine.snapshot == nil)
  }

  @Test(arguments: [Outcome.timedOut, .serverError, .unreachable, .undecodable(reason: 7)])
  func `R7: a transient failure is retried once, silently, after 700 ms`(outcome: Outcome) {
    var stage = Stage.settled(.plain)
    _ = stage.advanceToRequest()
    let effects = stage.reply(outcome)
    #expect(effects.changes.isEmpty && stage.machine.failure == nil)
    #expect(effects.alarm == stage.now + .milliseconds(700))
    #expect(stage.advanceToRequest() != nil)
    #expect(stage.last.notes.contains(.retried) && !stage.machine.isLoading)
    // The second failure starts the ladder and is shown.
    let second = stage.reply(outcome)
    #expect(second.changes == .failure)
    #expect(stage.nextInterval() == .seconds(2))
  }

  @Test
  func `R7: a policy without a retry starts the ladder at once`() {
    var stage = Stage.settled(.plain.with { $0.retryDelay = nil })
    _ = stage.advanceToRequest()
    #expect(stage.reply(.unreachable).changes == .failure)
  }
}
