import ConditionalHTTP
import Workspaces

extension MachineTable.Entry {
  /// Measures how wrong the machine's wall clock is.
  ///
  /// The time that a report is in transit is measured too, so the least value of a run is the best one. One that is greater
  /// by more than a reporter waits says that the clock was set; if it says that wrongly, the next report puts it right.
  mutating func noteClock(_ clock: Int64, at now: MachineTable.Instant) {
    let measured = now.wall - Double(clock) / 1_000
    if let least = measuredOffset {
      guard measured < least || measured > least + ReportLimits.timeout else { return }
    }
    measuredOffset = measured
    clockOffset = abs(measured) <= ReportLimits.clockTolerance ? 0 : measured.rounded()
  }

  /// Takes the worktrees of a report.
  ///
  /// - Returns: The ids, as the machine gives them, of those that the report names.
  /// - Throws: ``MachineTable/Refusal`` if they are more than is kept of a machine.
  mutating func apply(
    _ report: WorkspaceReport,
    of name: String,
    at now: MachineTable.Instant
  ) throws(MachineTable.Refusal) -> NameSet {
    let before = kept
    if report.base == nil { (kept, weight) = ([:], 0) }
    for id in report.removed { weight -= kept.removeValue(forKey: id)?.weight ?? 0 }
    var touched: NameSet = []
    for worktree in report.changed {
      guard let worktree = worktree.reported else {
        omitted += 1
        continue
      }
      let entry = kept(worktree, before[worktree.id], of: name, at: now)
      weight += entry.weight - (kept[worktree.id]?.weight ?? 0)
      kept[worktree.id] = entry
      touched.insert(worktree.id)
      guard weight <= ReportLimits.machineBytes, kept.count <= ReportLimits.worktrees else {
        throw MachineTable.Refusal(
          problem: .tooLarge,
          detail:
            "a machine has at most \(ReportLimits.worktrees) worktrees with \(ReportLimits.machineBytes) bytes of text"
        )
      }
    }
    return touched
  }

  private func kept(
    _ reported: Workspace,
    _ before: MachineTable.Kept?,
    of machine: String,
    at now: MachineTable.Instant
  ) -> MachineTable.Kept {
    var it = reported
    it.id = MachineTable.id(of: reported.id, on: machine)
    it.name = "\(machine):\(reported.name)"
    (it.gitAge, it.activityAge, it.revision) = (nil, nil, 0)
    it.createdAt = shifted(it.createdAt, by: clockOffset)
    it.lastAccessed = shifted(it.lastAccessed, by: clockOffset)
    if var title = it.sessionTitle {
      title.timestamp = shifted(title.timestamp, by: clockOffset)
      it.sessionTitle = title
    }
    for index in it.sessionTitleHistory.indices {
      let time = it.sessionTitleHistory[index].timestamp
      it.sessionTitleHistory[index].timestamp = shifted(time, by: clockOffset)
    }
    let since = since(reported.activity.since, age: reported.activityAge, before, at: now)
    it.activity.since = since.map(MachineTable.text)
    let written = reported.activity.since.flatMap { InstantText.read($0) }
    if let since, let written, abs(since - written) < 0.001 {
      it.activity.since = reported.activity.since
    }
    let offset = written.flatMap { written in since.map { $0 - written } } ?? clockOffset
    for index in it.activity.agents.indices {
      it.activity.agents[index].since = it.activity.agents[index].since.map {
        shifted($0, by: offset)
      }
    }
    return MachineTable.Kept(
      workspace: it,
      reportedSince: reported.activity.since,
      since: since,
      askedAt: reported.gitAge.map { now.time - $0 },
      weight: reported.weight
    )
  }

  /// When the activity began, by the hub's clock: what its age says, unless it is the activity of before.
  ///
  /// - Parameters:
  ///   - written: The instant as the machine wrote it.
  ///   - age: The age as the machine measured it, in seconds.
  ///   - before: What was known of the worktree.
  ///   - now: When the report came.
  /// - Returns: Seconds since 1970; `nil` if nothing is known.
  private func since(
    _ written: String?,
    age: Double?,
    _ before: MachineTable.Kept?,
    at now: MachineTable.Instant
  ) -> Double? {
    guard let written, let time = InstantText.read(written) else { return nil }
    if let before, before.reportedSince == written, let since = before.since { return since }
    let measured = age.map { now.wall - $0 } ?? time + clockOffset
    // If the clocks agree the machine's own instant stays, which is the same after a restart of the hub.
    let isRight = abs(measured - time) <= ReportLimits.clockTolerance
    return min(isRight ? time : measured, now.wall)
  }

  private func shifted(_ text: String, by offset: Double) -> String {
    guard abs(offset) >= 0.001, let time = InstantText.read(text) else { return text }
    return InstantText.write(time + offset)
  }
}

extension MachineTable {
  /// The id of a worktree on the hub: a UUID of version 8 made of the machine's name and the id that the machine gives.
  ///
  /// No machine can find a name for a worktree that has the id of another machine's.
  static func id(of id: String, on machine: String) -> String {
    var bytes = Array(SHA256.hash(Array(machine.utf8) + [0] + Array(id.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }

  /// A worktree as the list shows it now.
  static func shown(
    _ kept: Kept,
    of name: String,
    _ entry: Entry,
    at now: Instant
  ) -> Change {
    var it = kept.workspace
    it.gitAge = kept.askedAt.map { max(now.time - $0, 0) }
    guard !entry.isLive else {
      it.machine = WorkspaceMachine(name: name, state: .live)
      return .put(it, activitySince: kept.since)
    }
    // What its agents did was true then; their activity is unknown now.
    let since = entry.lostAt ?? now.wall
    it.machine = WorkspaceMachine(
      name: name,
      state: .unreachable,
      unreachableSince: text(since)
    )
    it.activity = AgentActivity(
      state: .unknown,
      source: AgentActivity.unreachableSource,
      since: text(since),
      confidence: "low",
      reason: "\(name) is unreachable since \(text(since))"
    )
    it.claudeActivityState = .inactive
    it.hasActiveClaudeSession = false
    for index in it.todos.indices where it.todos[index].status == .inProgress {
      it.todos[index].status = .pending
    }
    return .put(it, activitySince: since)
  }
}
