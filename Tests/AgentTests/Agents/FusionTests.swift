import AgentSimulation
import Agents
import Testing

/// The rules of Documentation/agent-activity.md by their numbers.
struct FusionTests {
  private let fusion = ActivityFusion()
  private let thresholds = ActivityThresholds()
  private let alive = ActivityEvidence.ProcessEvidence.alive(since: second(0))

  private func session(_ change: (inout AgentSession) -> Void = { _ in }) -> AgentSession {
    var session = AgentSession(kind: .claudeCode)
    session.id = "s"
    session.startedAt = second(10)
    session.lastRecordAt = second(20)
    session.lastTurnRecordAt = second(20)
    session.turn = .open(since: second(10))
    change(&session)
    return session
  }

  private func registry(
    _ status: String,
    since: WallTime,
    waitingFor: String? = nil
  ) -> ClaudeRegistryEntry? {
    ClaudeRegistryEntry(
      RegistryText.bytes(
        process: ProcessIdentity(number: 1, start: 1),
        session: "s",
        directory: "/w",
        status: status,
        waitingFor: waitingFor,
        at: since
      )
    )
  }

  private func activity(
    _ session: AgentSession?,
    kind: AgentKind = .claudeCode,
    written: WallTime? = nil,
    _ process: ActivityEvidence.ProcessEvidence,
    registry: ClaudeRegistryEntry? = nil,
    seen: WallTime? = nil,
    at now: WallTime
  ) -> Activity {
    fusion.activity(
      ActivityEvidence(
        kind: kind,
        session: session,
        writtenAt: written,
        process: process,
        registry: registry,
        seenAt: seen
      ),
      at: now
    )
  }

  @Test func `rule 1: a session that was closed has ended, or left a result`() {
    let closed = session { $0.isClosed = true }
    #expect(activity(closed, alive, at: second(21)).state == .ended)
    let finished = session {
      $0.isClosed = true
      $0.turn = .over(at: second(20), .complete)
    }
    #expect(activity(finished, alive, at: second(21)).state == .doneUnseen)
    #expect(activity(finished, alive, seen: second(21), at: second(22)).state == .ended)
  }

  @Test func `rule 2: a process that is gone has ended, in the middle of a turn or not`() {
    let gone = ActivityEvidence.ProcessEvidence.missing(noticed: second(30), wasSeen: true)
    let killed = activity(session(), gone, at: second(30))
    #expect(killed.state == .ended)
    #expect(killed.source == .process)
    #expect(killed.since == second(30))
    #expect(killed.reason == "its process ended in the middle of a turn")
    let finished = session { $0.turn = .over(at: second(20), .complete) }
    #expect(activity(finished, gone, at: second(31)).state == .doneUnseen)
    #expect(activity(finished, gone, seen: second(25), at: second(31)).state == .ended)
  }

  @Test func `rule 2: where none was seen, a log without a process waits for a moment`() {
    let missing = ActivityEvidence.ProcessEvidence.missing(noticed: second(21), wasSeen: false)
    let early = second(21).advanced(by: thresholds.absence - 1)
    #expect(activity(session(), missing, at: early).state == .working)
    let late = activity(session(), missing, at: second(21).advanced(by: thresholds.absence))
    #expect(late.state == .ended)
    #expect(late.since == second(20), "the last record is the last sign of life")
  }

  @Test func `rule 2: a log that is written all the same has its writer elsewhere`() {
    let missing = ActivityEvidence.ProcessEvidence.missing(noticed: second(15), wasSeen: false)
    let written = second(15).advanced(by: thresholds.lag + 1)
    #expect(activity(session(), written: written, missing, at: second(30)).state == .working)
  }

  @Test func `rule 3: a question in the log is a question, whatever else is said`() {
    let waiting = session {
      $0.request = AgentRequest(kind: .question, detail: "Which\none?", since: second(18))
    }
    let shown = activity(
      waiting,
      alive,
      registry: registry("idle", since: second(19)),
      at: second(5_000)
    )
    #expect(shown.state == .needsYou)
    #expect(shown.since == second(18))
    #expect(shown.reason == "it asks a question: Which")
    let later = ActivityEvidence.ProcessEvidence.alive(since: second(21))
    #expect(activity(waiting, later, at: second(30)).state == .idle, "who asked is gone")
  }

  @Test func `rule 4: the registry says that it waits`() {
    let entry = registry("waiting", since: second(19), waitingFor: "permission prompt")
    let shown = activity(session(), alive, registry: entry, at: second(21))
    #expect(shown.state == .needsYou)
    #expect(shown.source == .claudeRegistry)
    #expect(shown.reason == "permission prompt")
    #expect(shown.since == second(19))
  }

  @Test func `rule 5: the registry says that it is busy, though its last words are an end`() {
    let parked = session { $0.turn = .over(at: second(20), .complete) }
    let shown = activity(
      parked,
      alive,
      registry: registry("busy", since: second(5)),
      at: second(99)
    )
    #expect(shown.state == .working)
    #expect(shown.source == .claudeRegistry)
  }

  @Test func `rule 6: the registry says that it rests, and the newer word counts`() {
    let rests = registry("idle", since: second(25))
    #expect(activity(session(), alive, registry: rests, at: second(26)).state == .doneUnseen)
    #expect(
      activity(session(), alive, registry: rests, seen: second(26), at: second(27)).state == .idle
    )
    let asked = session {
      $0.turn = .open(since: second(26))
      $0.lastRecordAt = second(26)
      $0.lastTurnRecordAt = second(26)
    }
    #expect(activity(asked, alive, registry: rests, at: second(27)).state == .working)
    let shell = activity(
      session(),
      alive,
      registry: registry("shell", since: second(25)),
      at: second(26)
    )
    #expect(shell.state == .doneUnseen)
    let fresh = session { $0.turn = .none }
    #expect(activity(fresh, alive, registry: rests, at: second(26)).state == .idle)
    let strange = registry("dreaming", since: second(25))
    #expect(activity(session(), alive, registry: strange, at: second(26)).state == .working)
  }

  @Test func `rule 7: a tool may take as long as it wants while its process is there`() {
    let building = session {
      $0.toolCalls = [ToolCall(id: "t", name: "Bash", since: second(20))]
    }
    #expect(activity(building, alive, at: second(20_000)).state == .working)
    let unseen = second(20).advanced(by: thresholds.toolSilenceUnseen)
    #expect(activity(building, .unobservable, at: unseen.advanced(by: -1)).state == .working)
    #expect(activity(building, .unobservable, at: unseen).state == .unknown)
  }

  @Test func `rule 7: a thought may take long, and silence is unknown, not done`() {
    let limit = second(20).advanced(by: thresholds.silence)
    #expect(activity(session(), alive, at: limit.advanced(by: -1)).state == .working)
    let silent = activity(session(), alive, at: limit)
    #expect(silent.state == .unknown)
    #expect(silent.since == limit)
    let unseen = second(20).advanced(by: thresholds.silenceUnseen)
    #expect(activity(session(), .unobservable, at: unseen.advanced(by: -1)).state == .working)
    #expect(activity(session(), .unobservable, at: unseen).state == .unknown)
  }

  @Test func `rule 7: a quick tool without an answer may wait for a permission`() {
    func editing(_ change: (inout AgentSession) -> Void = { _ in }) -> AgentSession {
      session {
        $0.toolCalls = [ToolCall(id: "t", name: "Edit", since: second(20), isQuick: true)]
        change(&$0)
      }
    }
    let instant = second(20).advanced(by: thresholds.permissionSuspicion)
    #expect(activity(editing(), alive, at: instant.advanced(by: -1)).state == .working)
    let suspect = activity(editing(), alive, at: instant)
    #expect(suspect.state == .needsYou)
    #expect(suspect.confidence == .low)
    #expect(suspect.since == second(20))
    let free = editing { $0.editsFreely = true }
    #expect(activity(free, alive, at: instant).state == .working)
    let told = registry("busy", since: second(11))
    #expect(activity(editing(), alive, registry: told, at: instant).state == .working)
  }

  @Test func `rule 7: an end that is not marked is one when nothing follows`() {
    let said = session { $0.mayBeOver = true }
    let instant = second(20).advanced(by: thresholds.settling)
    #expect(activity(said, alive, at: instant.advanced(by: -1)).state == .working)
    let done = activity(said, alive, at: instant)
    #expect(done.state == .doneUnseen)
    #expect(done.since == second(20))
    #expect(done.confidence == .medium)
    let gone = ActivityEvidence.ProcessEvidence.missing(noticed: second(21), wasSeen: true)
    #expect(activity(said, gone, at: second(21)).state == .doneUnseen)
  }

  @Test func `rule 7: a turn of a process that is gone is not gone on with by the next one`() {
    let next = ActivityEvidence.ProcessEvidence.alive(since: second(60))
    let shown = activity(session(), next, at: second(61))
    #expect(shown.state == .idle)
    #expect(shown.since == second(60))
  }

  @Test func `rule 8: what is finished is unseen until the user looks, for a day`() {
    let finished = session { $0.turn = .over(at: second(20), .complete) }
    #expect(activity(finished, alive, at: second(21)).state == .doneUnseen)
    #expect(activity(finished, alive, seen: second(19), at: second(21)).state == .doneUnseen)
    #expect(activity(finished, alive, seen: second(20), at: second(21)).state == .idle)
    let later = second(20).advanced(by: thresholds.unseen)
    #expect(activity(finished, alive, at: later).state == .idle)
    let stopped = session { $0.turn = .over(at: second(20), .interrupted) }
    #expect(activity(stopped, alive, at: second(21)).state == .idle)
    let failed = session { $0.turn = .over(at: second(20), .failed) }
    #expect(activity(failed, alive, at: second(21)).state == .needsYou)
    #expect(activity(failed, alive, seen: second(22), at: second(23)).state == .idle)
  }

  @Test func `rules 1 and 2: a turn that failed in a process that is gone needs no user`() {
    let failed = session {
      $0.turn = .over(at: second(20), .failed)
    }
    let gone = ActivityEvidence.ProcessEvidence.missing(noticed: second(30), wasSeen: true)
    let shown = activity(failed, gone, at: second(31))
    #expect(shown.state == .doneUnseen)
    #expect(shown.since == second(20))
    #expect(shown.reason == "the turn failed")
    // An agent at work in the same worktree comes before it.
    #expect(Activity.State.working.urgency > shown.state.urgency)
    #expect(activity(failed, gone, seen: second(32), at: second(33)).state == .ended)
    let closed = session {
      $0.turn = .over(at: second(20), .failed)
      $0.isClosed = true
    }
    #expect(activity(closed, alive, at: second(31)).state == .doneUnseen)
  }

  @Test func `rules 9 and 10: without a turn, or without a log`() {
    let fresh = session { $0.turn = .none }
    #expect(activity(fresh, alive, at: second(21)).state == .idle)
    #expect(activity(fresh, .unobservable, at: second(21)).state == .unknown)
    #expect(activity(nil, alive, at: second(21)).state == .idle)
    #expect(activity(nil, alive, at: second(21)).confidence == .low, "its log may be elsewhere")
    #expect(activity(nil, kind: .other("aider"), alive, at: second(21)).state == .unknown)
    #expect(activity(nil, .unobservable, at: second(21)).source == .none)
  }

  @Test func `an age is what a state's beginning and the current instant make`() {
    let shown = activity(session(), alive, at: second(25))
    #expect(shown.since == second(10))
    #expect(shown.age(at: second(25)) == 15_000)
  }
}
