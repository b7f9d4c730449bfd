import BooksTrackDialect
import Jobs
import Testing

@Suite("What a socket of BooksTrack says, and when")
struct ReadyConversationTests {
  private let begin = ContinuousClock.now

  private func at(_ seconds: Double) -> ContinuousClock.Instant { begin + .seconds(seconds) }

  private func event(_ seq: Int64, _ body: JobEvent.Body) -> JobEvent {
    JobEvent(position: EventPosition(epoch: 1, seq: seq), at: seq, body: body)
  }

  private func start() -> JobEvent { event(1, .started(phases: [], total: nil)) }
  private func progress(_ seq: Int64) -> JobEvent {
    event(seq, .progress(JobProgress(fraction: Double(seq) / 1_000)))
  }
  private func end(_ seq: Int64, _ ending: JobEnding = .succeeded) -> JobEvent {
    event(seq, .ended(JobCompletion(ending: ending)))
  }

  @Test(
    "A job that is over before the app is there: everything is said at ready, and a second later the socket closes."
  )
  func overBefore() {
    var conversation = ReadyConversation(at: begin)
    for event in [start(), progress(2), progress(3), end(4)] { conversation.happened(event) }
    #expect(conversation.steps(at: at(0)).isEmpty)
    #expect(conversation.steps(at: at(9.9)).isEmpty)
    #expect(conversation.wakesAt == at(10))
    conversation.ready()
    #expect(
      conversation.steps(at: at(9.95)) == [
        .acknowledge, .say(start()), .say(progress(3)), .say(end(4)),
      ]
    )
    #expect(conversation.wakesAt == at(10.95))
    #expect(conversation.steps(at: at(10.9)).isEmpty)
    #expect(conversation.steps(at: at(10.95)) == [.close(.over(.succeeded))])
    #expect(conversation.steps(at: at(99)).isEmpty)
    #expect(conversation.wakesAt == nil)
  }

  @Test("The second begins when the end was sent, however long that took.")
  func slowEnd() {
    var conversation = ReadyConversation(at: begin)
    conversation.performed(at: at(0))
    conversation.happened(end(1))
    conversation.ready()
    #expect(conversation.steps(at: at(1)) == [.acknowledge, .say(end(1))])
    conversation.performed(at: at(5))
    #expect(conversation.steps(at: at(5.9)).isEmpty)
    #expect(conversation.steps(at: at(6)) == [.close(.over(.succeeded))])
    conversation.performed(at: at(7))
    #expect(conversation.wakesAt == nil)
  }

  @Test(
    "An app that never says ready hears everything after ten seconds, without an acknowledgement."
  )
  func neverReady() {
    var conversation = ReadyConversation(at: begin)
    conversation.happened(start())
    conversation.happened(end(2, .failed))
    #expect(conversation.steps(at: at(9.999)).isEmpty)
    #expect(conversation.steps(at: at(10)) == [.say(start()), .say(end(2, .failed))])
    conversation.ready()
    #expect(conversation.steps(at: at(10.5)) == [.acknowledge])
    #expect(conversation.steps(at: at(11)) == [.close(.over(.failed))])
  }

  @Test(
    "Once the app is ready each event is said when it happens; a second ready is answered and has no other effect."
  )
  func open() {
    var conversation = ReadyConversation(at: begin)
    conversation.ready()
    #expect(conversation.steps(at: at(0)) == [.acknowledge])
    #expect(conversation.wakesAt == nil)
    for seq in Int64(2)...5 {
      conversation.happened(progress(seq))
      #expect(conversation.steps(at: at(Double(seq))) == [.say(progress(seq))])
    }
    conversation.ready()
    conversation.ready()
    #expect(conversation.steps(at: at(6)) == [.acknowledge])
  }

  @Test("However much happens, no more than the start, the newest progress and the end wait.")
  func merging() {
    var conversation = ReadyConversation(at: begin)
    conversation.happened(start())
    for seq in Int64(2)...999 { conversation.happened(progress(seq)) }
    conversation.happened(end(1_000))
    // Nothing comes behind an end.
    conversation.happened(progress(1_001))
    conversation.happened(end(1_002))
    conversation.ready()
    #expect(
      conversation.steps(at: at(1)) == [
        .acknowledge, .say(start()), .say(progress(999)), .say(end(1_000)),
      ]
    )
  }

  @Test("A sign of life is said to an app that listens, if there is nothing else to say.")
  func life() {
    var conversation = ReadyConversation(at: begin)
    let pulse = JobProgress(fraction: 0.5)
    conversation.lives(pulse)
    #expect(conversation.steps(at: at(1)).isEmpty)
    conversation.ready()
    #expect(conversation.steps(at: at(2)) == [.acknowledge])
    conversation.lives(pulse)
    #expect(conversation.steps(at: at(3)) == [.live(pulse)])
    conversation.lives(pulse)
    conversation.happened(progress(7))
    #expect(conversation.steps(at: at(4)) == [.say(progress(7))])
    #expect(conversation.steps(at: at(5)).isEmpty)
  }

  @Test("An app that comes back hears the state of the job first.")
  func snapshot() {
    let known = JobProgress(fraction: 0.5)
    func come() -> ReadyConversation {
      ReadyConversation(
        at: begin,
        snapshot: .init(position: EventPosition(epoch: 1, seq: 500), progress: known)
      )
    }
    var conversation = come()
    conversation.ready()
    #expect(conversation.steps(at: at(0)) == [.acknowledge, .snapshot(known)])
    // What it was told by that is not told again, whenever the store tells it.
    conversation.happened(start())
    conversation.happened(progress(499))
    conversation.happened(progress(500))
    #expect(conversation.steps(at: at(1)).isEmpty)
    conversation.happened(progress(501))
    #expect(conversation.steps(at: at(2)) == [.say(progress(501))])
    conversation.happened(end(502))
    #expect(conversation.steps(at: at(3)) == [.say(end(502))])

    // What happens before it listens is part of the job's state.
    var late = come()
    late.happened(start())
    late.happened(progress(700))
    late.happened(progress(600))
    late.ready()
    #expect(late.steps(at: at(1)) == [.acknowledge, .snapshot(JobProgress(fraction: 0.7))])
    var over = come()
    over.happened(end(800))
    over.ready()
    #expect(over.steps(at: at(1)) == [.acknowledge, .snapshot(known), .say(end(800))])
  }

  @Test("Whatever happens when an app comes back, the progress that it hears never falls.")
  func randomSnapshots() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let sequence = Int64.random(in: 0...100, using: &generator)
      let known = JobProgress(fraction: Double(sequence) / 1_000)
      var conversation = ReadyConversation(
        at: begin,
        snapshot: .init(position: EventPosition(epoch: 1, seq: sequence), progress: known)
      )
      var heard: [Double] = []
      // The store tells from the beginning, while the app takes its time.
      for seq in 1...Int64(120) {
        conversation.happened(seq == 1 ? start() : progress(seq))
        if Int.random(in: 0..<9, using: &generator) == 0 { conversation.ready() }
        for step in conversation.steps(at: at(Double(seq) / 100)) {
          switch step {
          case .snapshot(let progress): heard.append(progress.fraction)
          case .say(let event):
            guard case .progress(let progress) = event.body else {
              Issue.record("\(event) is sent after the state of the job")
              continue
            }
            heard.append(progress.fraction)
          default: break
          }
        }
      }
      #expect(heard == heard.sorted())
    }
  }

  @Test(
    "A server that ends waits for no client, but an end that was said stays for its second.",
    arguments: [ReadyConversation.Reason.serverEnds, .expired]
  )
  func serverEnds(_ reason: ReadyConversation.Reason) {
    var waiting = ReadyConversation(at: begin)
    waiting.happened(start())
    waiting.ends(reason)
    #expect(waiting.steps(at: at(1)) == [.close(reason)])
    #expect(waiting.steps(at: at(20)).isEmpty)
    var over = ReadyConversation(at: begin)
    over.ready()
    over.happened(end(1))
    over.ends(reason)
    #expect(over.steps(at: at(1)) == [.acknowledge, .say(end(1))])
    #expect(over.steps(at: at(2)) == [.close(.over(.succeeded))])
  }

  @Test(
    "Whatever happens in whatever order, the end is said once, last and never before ready or its time."
  )
  func random() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var conversation = ReadyConversation(at: begin)
      var time = 0.0
      var readyAt: Double?
      var said: [JobEvent] = []
      var seq: Int64 = 1
      var closes = 0
      while closes == 0, time < 60 {
        time += Double.random(in: 0...2, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
          conversation.ready()
          readyAt = readyAt ?? time
        case 1:
          conversation.happened(seq > 8 ? end(seq) : progress(seq))
          seq += 1
        case 2:
          conversation.happened(end(seq))
          seq += 1
        default: break
        }
        for step in conversation.steps(at: at(time)) {
          switch step {
          case .say(let event):
            #expect(time >= min(readyAt ?? .infinity, ReadyConversation.readyWait))
            #expect(closes == 0)
            said.append(event)
          case .close(.over): closes += 1
          default: break
          }
        }
      }
      if seq > 1, closes > 0 {
        #expect(said.count { $0.isTerminal } == 1)
        #expect(said.last?.isTerminal == true)
        #expect(said.map(\.position) == said.map(\.position).sorted())
      }
    }
  }
}
