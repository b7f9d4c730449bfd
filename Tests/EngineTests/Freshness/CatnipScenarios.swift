import Freshness
import Hashing
import Testing

/// The client's side of the scenarios of catnip.md 5.4; the servers' side is tested with the servers.
@Suite("catnip.md 5.4")
struct CatnipScenarios {
  @Test
  func `R5: catnip 5_4 start while idle without data polls at once, then at the idle interval`() {
    var stage = Stage(.workspaces)
    #expect(stage.send(.started).request != nil)
    stage.reply(.content(.plain))
    #expect(stage.nextInterval() == .seconds(10))
  }

  @Test
  func `R5: catnip 5_4 refresh while idle, mid-sleep and in flight`() {
    var stage = Stage.settled(.workspaces)
    #expect(stage.send(.refreshRequested(.person)).request != nil)
    stage.reply(.unchanged)
    stage.advance(.seconds(4))
    #expect(stage.send(.refreshRequested(.person)).request != nil)
    #expect(stage.send(.refreshRequested(.person)).request == nil)
    #expect(stage.reply(.unchanged).request != nil)
    #expect(stage.reply(.unchanged).request == nil)
  }

  @Test
  func `R13: catnip 5_4 a prompt sent while running bursts until active is seen`() {
    var stage = Stage.settled(.workspaces)
    stage.advance(.seconds(2))
    stage.send(.acted)
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .milliseconds(1_500))
    stage.reply(.content(.other), activity: .active)
    #expect(stage.nextInterval() == .milliseconds(1_500))
    stage.reply(.content(.plain), activity: .quiet)
    #expect(stage.nextInterval() == .seconds(3))
  }

  @Test
  func `R13: catnip 5_4 a prompt without an answer is never stuck`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.acted)
    stage.run(.minutes(10), answering: .unchanged, roundTrip: .zero)
    #expect(stage.advanceToRequest(within: .seconds(11)) != nil)
  }

  @Test
  func `R23: catnip 5_4 the one settle poll fails and polling does not end`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.activity(.active))
    stage.send(.activity(.quiet))
    _ = stage.advanceToRequest()
    for _ in 1...20 {
      stage.reply(.unreachable)
      #expect(stage.advanceToRequest(within: .seconds(34)) != nil)
    }
  }

  @Test
  func `R16: catnip 5_4 a 304 after an error`() {
    var stage = Stage.settled(.workspaces)
    for _ in 1...2 {
      _ = stage.advanceToRequest()
      stage.reply(.serverError, status: 502)
    }
    #expect(stage.machine.failure?.status == 502)
    _ = stage.advanceToRequest()
    let effects = stage.reply(.unchanged, status: 304)
    #expect(stage.machine.failure == nil && effects.changes == .failure)
    #expect(stage.machine.snapshot?.verifiedAt == stage.now)
    #expect(stage.machine.snapshot?.changedAt == .start)
  }

  @Test
  func `R17: catnip 5_4 a 304 without a cached body`() {
    var stage = Stage(.workspaces)
    stage.send(.started)
    #expect(stage.reply(.unchanged, status: 304).request?.validator == nil)
    #expect(stage.requests.count == 2)
    stage.reply(.content(.plain))
    #expect(stage.machine.snapshot != nil)
  }

  @Test
  func `R21: catnip 5_4 distinct outcomes`() {
    var kinds: [Failure.Kind] = []
    for (status, retryAfter) in [
      (Int32(404), nil), (410, nil), (401, nil), (429, RetryHint.seconds(9)),
      (503, RetryHint.seconds(9)),
    ] {
      var stage = Stage.settled(Policy.workspaces.with { $0.retryDelay = nil })
      _ = stage.advanceToRequest()
      stage.reply(Outcome(status: status, retryAfter: retryAfter), status: status)
      if let kind = stage.machine.failure?.kind { kinds.append(kind) }
      if retryAfter != nil { #expect((stage.nextInterval() ?? .zero) >= .seconds(9)) }
    }
    #expect(kinds == [.refused, .gone, .unauthorised, .throttled, .throttled])
  }

  @Test
  func `R9: catnip 5_4 active stops while the body is unchanged`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.activity(.active))
    _ = stage.advanceToRequest()
    stage.reply(.unchanged, activity: .quiet)
    #expect(stage.machine.pace(at: stage.now) == .recent)
    #expect(stage.machine.pace(at: stage.now + .seconds(120)) == .idle)
  }

  @Test
  func `R3: catnip 5_4 a slow response overtaken by a newer one is dropped`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.refreshRequested(.person))
    let slow = stage.machine.outstanding ?? Ticket(generation: 0, context: Context(question: 1))
    stage.advance(.seconds(11))
    stage.reply(.content(.other))
    #expect(stage.send(.answered(slow, Answer(.content(.live)))).notes == .superseded)
    #expect(stage.machine.snapshot?.revision == Content.other.revision)
  }

  @Test
  func `R11: catnip 5_4 background, foreground and background within a second`() {
    var stage = Stage.settled(.workspaces)
    stage.send(.lifecycle(.background))
    stage.advance(.milliseconds(300))
    stage.send(.lifecycle(.foreground))
    stage.send(.focused)
    stage.advance(.milliseconds(300))
    stage.send(.lifecycle(.background))
    #expect(stage.requests.count == 2)
    stage.reply(.unchanged)
    #expect(stage.nextInterval() == .seconds(30))
  }

  @Test
  func `R14: catnip 5_4 a laptop's suspend gap is one jittered poll`() {
    var stage = Stage.settled(.workspaces)
    stage.skip(.minutes(90))
    stage.send(.woke)
    stage.advance(.seconds(1))
    #expect(stage.requests.count == 2)
  }

  @Test
  func `R14: catnip 5_4 fifty clients that wake together spread over the window`() {
    var generator = SplitMix64(seed: 50)
    var starts: Set<Int64> = []
    for _ in 1...50 {
      var stage = Stage.settled(.departuresNative)
      stage.skip(.minutes(90))
      stage.random = generator.randomSample()
      stage.send(.woke)
      _ = stage.advanceToRequest()
      starts.insert((stage.now.milliseconds - 5_400_000) / 200)
    }
    #expect(starts.count >= 8 && starts.allSatisfy { (0...10).contains($0) })
  }

  @Test
  func `R19: catnip 5_4 a server restart: the old tag is answered with a full body`() {
    var stage = Stage.settled(.workspaces)
    _ = stage.advanceToRequest()
    let effects = stage.reply(.content(Content(Revision(1), validator: Validator(99))))
    #expect(effects.snapshot == .verify)
    #expect(stage.advanceToRequest()?.validator == Validator(99))
  }

  @Test
  func `R33: catnip 5_4 a stream drops: resynced, polled, replayed without a further request`() {
    var stage = Stage(HintRules.streaming)
    stage.send(.started)
    stage.reply(.content(.plain))
    stage.send(.streamOpened(isResumed: true))
    stage.advance(.seconds(5))
    stage.send(.streamLost)
    #expect(stage.advanceToRequest(within: .seconds(1)) != nil)
    stage.reply(.unchanged)
    stage.advance(.seconds(3))
    stage.send(.streamOpened(isResumed: true))
    #expect(stage.machine.isStreaming && stage.machine.outstanding == nil)
  }
}
