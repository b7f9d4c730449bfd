/// Combines all evidence about an agent into one state: a function of the evidence and the time.
///
/// The rules in order; the first that applies decides. Their numbers are in
/// Documentation/agent-activity.md and in the tests.
///
/// ```
///  1  the log says that the session was closed      done_unseen | ended
///  2  its process is gone                           done_unseen | ended
///  3  the log asks a human                          needs_you
///  4  the registry says that it waits               needs_you
///  5  the registry says that it is busy             working
///  6  the registry says that it is idle             done_unseen | idle | needs_you (failed)
///  7  the log says that it is the agent's turn      working | needs_you | done_unseen | unknown
///  8  the log says that it is the human's turn      done_unseen | idle | needs_you (failed)
///  9  the log says nothing of a turn                idle | unknown
/// 10  there is a process and no log                 idle | unknown
/// ```
package struct ActivityFusion: Hashable, Sendable {
  /// How long is waited.
  package var thresholds: ActivityThresholds

  /// The fusion with its thresholds.
  package init(thresholds: ActivityThresholds = ActivityThresholds()) {
    self.thresholds = thresholds
  }

  /// Returns the activity of an agent.
  ///
  /// - Parameters:
  ///   - evidence: The evidence.
  ///   - now: The current instant.
  /// - Returns: The state, its start, and its source.
  package func activity(_ evidence: ActivityEvidence, at now: WallTime) -> Activity {
    guard let session = evidence.session else { return withoutLog(evidence, now) }
    let log = Self.source(of: session)
    if session.isClosed {
      return closed(session, log, session.lastRecordAt, evidence, now, reason: nil)
    }
    if let since = goneSince(evidence, now) {
      let isMidTurn = if case .open = session.turn { true } else { false }
      let reason = isMidTurn ? "its process ended in the middle of a turn" : nil
      return closed(session, .process, since, evidence, now, reason: reason)
    }
    if let request = session.request, !isLeft(request, evidence) {
      return Activity(.needsYou, log, since: request.since, .high, reason: Self.reason(request))
    }
    if let activity = registered(session, evidence, now) { return activity }
    switch session.turn {
    case .open(let since): return open(session, since, log, evidence, now)
    case .over(let at, let end): return over(end, at, session, log, .high, evidence, now)
    case .none: return untouched(session, log, evidence)
    }
  }

  // MARK: Rules 1 and 2: it is gone

  /// Whether a session was closed, or its process is gone.
  package func isGone(_ evidence: ActivityEvidence, at now: WallTime) -> Bool {
    guard let session = evidence.session else { return false }
    return session.isClosed || goneSince(evidence, now) != nil
  }

  private func closed(
    _ session: AgentSession,
    _ source: Activity.Source,
    _ since: WallTime?,
    _ evidence: ActivityEvidence,
    _ now: WallTime,
    reason: String?
  ) -> Activity {
    if case .over(let at, let end) = session.turn, end != .interrupted,
      isUnseen(at, evidence, now)
    {
      // An ended process cannot be answered: a failed turn counts as ended, with the reason.
      let failure = end == .failed ? session.failure?.line ?? "the turn failed" : nil
      let log = Self.source(of: session)
      return over(.complete, at, session, log, .high, evidence, now, reason: failure)
    }
    if let at = settledAt(session, evidence, now), isUnseen(at, evidence, now) {
      return over(.complete, at, session, Self.source(of: session), .medium, evidence, now)
    }
    return Activity(.ended, source, since: since, .high, reason: reason)
  }

  /// Since when the process is gone; `nil` if it is not, or if unknown.
  private func goneSince(_ evidence: ActivityEvidence, _ now: WallTime) -> WallTime? {
    guard case .missing(let noticed, let wasSeen) = evidence.process,
      wasSeen || now.milliseconds(since: noticed) >= thresholds.absence
    else { return nil }
    guard let written = evidence.writtenAt ?? evidence.session?.lastRecordAt else { return noticed }
    // A log that is written all the same has its writer elsewhere: in a container, on another machine.
    guard written.milliseconds(since: noticed) <= thresholds.lag else { return nil }
    return wasSeen ? noticed : evidence.session?.lastRecordAt ?? noticed
  }

  /// Whether what asked is gone, and another process has taken up the session.
  private func isLeft(_ request: AgentRequest, _ evidence: ActivityEvidence) -> Bool {
    guard case .alive(let start) = evidence.process else { return false }
    return start.milliseconds(since: request.since) > thresholds.startError
  }

  // MARK: Rules 4 to 6: the agent's own report

  private func registered(
    _ session: AgentSession,
    _ evidence: ActivityEvidence,
    _ now: WallTime
  ) -> Activity? {
    guard let registry = evidence.registry, let status = registry.status else { return nil }
    switch status {
    case .waiting:
      let reason = registry.waitingFor ?? "it waits for an answer"
      return Activity(
        .needsYou,
        .claudeRegistry,
        since: registry.statusSince,
        .high,
        reason: reason
      )
    case .busy:
      var since = registry.statusSince
      if case .open(let turn) = session.turn { since = turn }
      return Activity(.working, .claudeRegistry, since: since, .high)
    case .idle, .shell:
      let reason = status == .shell ? "a command of yours runs in the background" : nil
      switch session.turn {
      case .over(let at, let end):
        return over(end, at, session, .claudeRegistry, .high, evidence, now, reason: reason)
      case .open(let turn):
        // The newer word counts: a prompt is in the log before the registry says that it is busy.
        let last = max(session.lastRecordAt ?? turn, turn)
        guard let since = registry.statusSince, since >= last else { return nil }
        return over(
          .complete,
          since,
          session,
          .claudeRegistry,
          .high,
          evidence,
          now,
          reason: reason
        )
      case .none: return Activity(.idle, .claudeRegistry, since: registry.statusSince, .high)
      }
    case .other: return nil
    }
  }

  // MARK: Rule 7: the agent's turn

  private func open(
    _ session: AgentSession,
    _ since: WallTime,
    _ log: Activity.Source,
    _ evidence: ActivityEvidence,
    _ now: WallTime
  ) -> Activity {
    // A process that started later has not begun this turn, and has not taken it up.
    if case .alive(let start) = evidence.process,
      start.milliseconds(since: session.lastTurnRecordAt ?? since) > thresholds.startError
    {
      let reason = "its process ended in the middle of a turn, and was started again"
      return Activity(.idle, .process, since: start, .medium, reason: reason)
    }
    if let call = session.toolCalls.first(where: \.asksFirst) {
      return Activity(.needsYou, log, since: call.since, .medium, reason: Self.reason(call))
    }
    if let call = suspect(session, now) {
      return Activity(.needsYou, log, since: call.since, .low, reason: Self.reason(call))
    }
    if let at = settledAt(session, evidence, now) {
      return over(.complete, at, session, log, .medium, evidence, now)
    }
    let last = [session.lastRecordAt, evidence.writtenAt, since].compactMap(\.self).max() ?? since
    let patience = patience(session, evidence)
    guard let patience, now.milliseconds(since: last) >= patience else {
      return Activity(.working, log, since: since, .high)
    }
    return Activity(
      .unknown,
      log,
      since: last.advanced(by: patience),
      .low,
      reason: "no sign of life for a long time"
    )
  }

  /// How long silence is work; `nil` forever.
  private func patience(_ session: AgentSession, _ evidence: ActivityEvidence) -> Int64? {
    let hasTool = !session.toolCalls.isEmpty
    if case .alive = evidence.process { return hasTool ? nil : thresholds.silence }
    return hasTool ? thresholds.toolSilenceUnseen : thresholds.silenceUnseen
  }

  /// The tool that is quick, is not allowed automatically, and has not responded.
  private func suspect(_ session: AgentSession, _ now: WallTime) -> ToolCall? {
    guard !session.editsFreely, !session.asksNobody else { return nil }
    return session.toolCalls.first {
      $0.isQuick && now.milliseconds(since: $0.since) >= thresholds.permissionSuspicion
    }
  }

  /// When a turn without a marked end ended; `nil` if it continues, or may.
  private func settledAt(
    _ session: AgentSession,
    _ evidence: ActivityEvidence,
    _ now: WallTime
  ) -> WallTime? {
    guard case .open = session.turn, session.mayBeOver, session.toolCalls.isEmpty,
      let last = session.lastRecordAt
    else { return nil }
    if goneSince(evidence, now) != nil { return last }
    return now.milliseconds(since: last) >= thresholds.settling ? last : nil
  }

  // MARK: Rules 6 and 8: the human's turn

  private func over(
    _ end: AgentSession.TurnEnd,
    _ at: WallTime,
    _ session: AgentSession,
    _ source: Activity.Source,
    _ confidence: Activity.Confidence,
    _ evidence: ActivityEvidence,
    _ now: WallTime,
    reason: String? = nil
  ) -> Activity {
    switch end {
    case .interrupted: return Activity(.idle, source, since: at, confidence, reason: reason)
    case .failed:
      guard isUnseen(at, evidence, now) else {
        return Activity(.idle, source, since: at, confidence, reason: session.failure?.line)
      }
      let failure = session.failure?.line ?? "the turn failed"
      return Activity(.needsYou, source, since: at, confidence, reason: failure)
    case .complete:
      let isUnseen = isUnseen(at, evidence, now)
      return Activity(
        isUnseen ? .doneUnseen : .idle,
        source,
        since: at,
        confidence,
        reason: reason
      )
    }
  }

  private func isUnseen(_ at: WallTime, _ evidence: ActivityEvidence, _ now: WallTime) -> Bool {
    guard now.milliseconds(since: at) < thresholds.unseen else { return false }
    return evidence.seenAt.map { $0 < at } ?? true
  }

  // MARK: Rules 9 and 10: nothing was asked

  private func untouched(
    _ session: AgentSession,
    _ log: Activity.Source,
    _ evidence: ActivityEvidence
  ) -> Activity {
    if case .alive = evidence.process {
      return Activity(.idle, log, since: session.startedAt, .medium)
    }
    return Activity(
      .unknown,
      log,
      since: session.lastRecordAt,
      .low,
      reason: "its log says nothing of a turn"
    )
  }

  private func withoutLog(_ evidence: ActivityEvidence, _ now: WallTime) -> Activity {
    if let registry = evidence.registry {
      var empty = AgentSession(kind: .claudeCode)
      empty.id = registry.session
      if let activity = registered(empty, evidence, now) { return activity }
    }
    switch evidence.process {
    case .alive(let since):
      switch evidence.kind {
      // Both begin their log with the first prompt.
      case .claudeCode, .codex:
        // It may have one that is not read: in another folder, or of an old session.
        let reason = "nothing was asked yet, or its log was not found"
        return Activity(.idle, .process, since: since, .low, reason: reason)
      case .other:
        let reason = "it runs here, and no log of it was found"
        return Activity(.unknown, .process, since: since, .low, reason: reason)
      }
    case .missing(let noticed, _): return Activity(.ended, .process, since: noticed, .high)
    case .unobservable: return Activity(.unknown, .none, since: nil, .low)
    }
  }

  // MARK: Words

  private static func source(of session: AgentSession) -> Activity.Source {
    switch session.kind {
    case .claudeCode: .claudeLog
    case .codex: .codexLog
    case .other: .neutralLog
    }
  }

  private static func reason(_ request: AgentRequest) -> String {
    let what =
      switch request.kind {
      case .permission: "it asks for a permission"
      case .question: "it asks a question"
      case .plan: "it asks whether its plan is right"
      }
    guard let detail = request.detail.map(AgentSession.line) else { return what }
    return "\(what): \(detail)"
  }

  private static func reason(_ call: ToolCall) -> String {
    let what = "it seems to ask for a permission: \(call.name)"
    guard let detail = call.detail.map(AgentSession.line) else { return what }
    return "\(what) \(detail)"
  }
}

extension AgentSession {
  /// The first line of a text, short enough for a list.
  static func line(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).first ?? ""
    return String(line).limited(to: 200)
  }
}

extension AgentSession.Said {
  /// The first line of the text, short enough for a list.
  var line: String { AgentSession.line(text) }
}
