import ConditionalHTTP
package import Workspaces

/// What machines have reported, and how old it is: a value, which takes reports and instants and returns changes of the
/// list.
///
/// Only a machine's own reports change what is shown of it (WH8). Of one reporter, a report with a smaller number never replaces
/// one with a greater one (WH2); a reporter that another one has replaced changes nothing any more (WH3). Ages are those of the
/// reports and the time since they came (WH5). A machine that is too old is unreachable (WH6), and none of its agents is shown as
/// running (WH7). What is kept of a machine is bounded, whatever it reports (WH9).
package struct MachineTable: Sendable {
  /// An instant, by two clocks of the hub.
  package struct Instant: Hashable, Sendable {
    /// Seconds of a clock that never goes back, and counts the time that the machine sleeps.
    package var time: Double
    /// Seconds since 1970.
    package var wall: Double

    /// Creates an instant.
    package init(time: Double, wall: Double) {
      self.time = time
      self.wall = wall
    }
  }

  /// A change of the list.
  package enum Change: Hashable, Sendable {
    /// A worktree is new, or looks different; its `gitAge` is as of now.
    case put(Workspace, activitySince: Double?)
    /// The worktree with an id is gone.
    case remove(String)
  }

  /// Why a report is not accepted.
  package struct Refusal: Error, Hashable, Sendable {
    /// The code.
    package var problem: ReportProblem
    /// The reason in words.
    package var detail: String
  }

  /// A worktree as it was reported, in the hub's time.
  struct Kept: Hashable, Sendable {
    /// The worktree with its id and its name on the hub; its ages and its machine are left out.
    var workspace: Workspace
    /// The start of the activity as the machine wrote it.
    var reportedSince: String?
    /// The start of the activity by the hub's wall clock.
    var since: Double?
    /// When git was asked, by the hub's clock.
    var askedAt: Double?
    var weight: Int
  }

  struct Entry: Sendable {
    var instance: String?
    /// The reporters of before, the newest last.
    var replaced: [String] = []
    var sequence: Int64 = 0
    var receivedAt = 0.0
    /// The instant at which what it says was known to be right; `nil` before the first report.
    var rightAt: Instant?
    var isLive = false
    /// Since when it is shown as unreachable, by the wall clock; `nil` if it is live or has not reported.
    var lostAt: Double?
    var hasEnded = false
    var omitted = 0
    /// The worktrees by the ids that the machine gives them.
    var kept: NameTable<Kept> = [:]
    var weight = 0
    /// The seconds by which the machine's wall clock is behind the hub's.
    var clockOffset = 0.0
    /// What was measured for it, with the least time in transit of this run.
    var measuredOffset: Double?
    var allowance = ReportLimits.burst
    var allowedAt = 0.0
    /// How many of its reports are being read.
    var readings = 0
  }

  private(set) var entries: [String: Entry] = [:]

  /// Starts without machines.
  package init() {}

  // MARK: Machines

  /// Replaces the machines that may report; what others reported is gone.
  ///
  /// - Returns: The changes of the list.
  package mutating func admit(_ names: Set<String>) -> [Change] {
    var changes: [Change] = []
    for (name, entry) in entries where !names.contains(name) {
      changes += entry.kept.values.map { .remove($0.workspace.id) }
      entries[name] = nil
    }
    for name in names where entries[name] == nil { entries[name] = Entry() }
    return changes
  }

  /// Whether a machine may send a report now, and counts it; ``endReading(_:)`` follows if it may.
  package mutating func allows(_ name: String, at now: Instant) -> Bool {
    guard var entry = entries[name], entry.readings < ReportLimits.readings else { return false }
    let passed = max(now.time - entry.allowedAt, 0)
    entry.allowance = min(
      entry.allowance + passed * ReportLimits.reportsPerSecond,
      ReportLimits.burst
    )
    entry.allowedAt = now.time
    let isAllowed = entry.allowance >= 1
    if isAllowed {
      entry.allowance -= 1
      entry.readings += 1
    }
    entries[name] = entry
    return isAllowed
  }

  /// A report that was allowed is read, or given up.
  package mutating func endReading(_ name: String) {
    guard let readings = entries[name]?.readings else { return }
    entries[name]?.readings = max(readings - 1, 0)
  }

  /// The machines, ordered by name.
  package func statuses(at now: Instant) -> [MachineStatus] {
    entries.sorted { $0.key.isNameBefore($1.key) }.map { name, entry in
      // An old machine is not live just because it has not been checked yet.
      let isLive = entry.isLive && !Self.isTooOld(entry, at: now)
      let lostAt = entry.lostAt ?? entry.rightAt?.wall
      return MachineStatus(
        name: name,
        state: isLive ? .live : .unreachable,
        unreachableSince: isLive ? nil : lostAt.map(Self.text),
        detail: isLive ? nil : Self.detail(entry, at: now),
        age: entry.rightAt.map { Int64(max(now.time - $0.time, 0) * 1_000) },
        worktrees: entry.kept.count,
        omitted: entry.omitted
      )
    }
  }

  private static func detail(_ entry: Entry, at now: Instant) -> String {
    guard let rightAt = entry.rightAt else {
      return "it has not reported since this server started"
    }
    if entry.hasEnded { return "its reporter has ended" }
    // The greater part of the age is that of the report, or the silence since.
    return entry.receivedAt - rightAt.time > now.time - entry.receivedAt
      ? "its reporter does not reach the server on that machine" : "its reporter is not heard of"
  }

  // MARK: Reports

  /// Takes a report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - name: The machine that sent it.
  ///   - now: When it began to come: what it says was known then.
  ///   - end: When all of it had come; `nil` if that was at once.
  /// - Returns: The changes of the list.
  /// - Throws: ``Refusal``; then nothing has changed.
  package mutating func handle(
    _ report: WorkspaceReport,
    from name: String,
    at now: Instant,
    until end: Instant? = nil
  ) throws(Refusal) -> [Change] {
    let end = end ?? now
    guard let before = entries[name] else {
      throw Refusal(problem: .machineForbidden, detail: "\(name) is not one of the machines")
    }
    try Self.check(report, before)
    var entry = before
    if entry.instance != report.instance {
      if let instance = entry.instance { entry.replaced.append(instance) }
      entry.replaced = entry.replaced.suffix(ReportLimits.replaced)
      entry.instance = report.instance
      entry.measuredOffset = nil
    }
    entry.sequence = report.sequence
    entry.receivedAt = now.time
    let age = min(Double(max(report.age, 0)) / 1_000, 1e9)
    entry.rightAt = Instant(time: now.time - age, wall: now.wall - age)
    entry.isLive = !report.isLast && age + end.time - now.time <= ReportLimits.unreachableAfter
    entry.lostAt = entry.isLive ? nil : Self.lostAt(now.wall - age, before.lostAt)
    entry.hasEnded = report.isLast
    entry.omitted = min(report.omitted, 1_000_000)
    entry.noteClock(report.clock, at: now)
    let touched = try entry.apply(report, of: name, at: now)
    defer { entries[name] = entry }
    var changes: [Change] = []
    // What it changes costs something too, also if the report is short and changes only whether the machine is live.
    defer { entry.allowance -= Double(changes.count / ReportLimits.changesAtOnce) }
    if report.base == nil || !report.removed.isEmpty {
      for (id, kept) in before.kept where entry.kept[id] == nil {
        changes.append(.remove(kept.workspace.id))
      }
    }
    let isOther = entry.isLive != before.isLive || entry.lostAt != before.lostAt
    // Most reports say only that nothing has changed.
    guard isOther || !touched.isEmpty else { return changes }
    for (id, kept) in entry.kept where isOther || touched.contains(id) {
      changes.append(Self.shown(kept, of: name, entry, at: end))
    }
    return changes
  }

  private static func check(_ report: WorkspaceReport, _ entry: Entry) throws(Refusal) {
    if report.instance == entry.instance {
      guard report.sequence > entry.sequence else {
        throw Refusal(
          problem: .outOfDate,
          detail: "report \(report.sequence) came after report \(entry.sequence)"
        )
      }
    } else if entry.replaced.contains(report.instance) {
      throw Refusal(
        problem: .replaced,
        detail: "another reporter reports for this machine"
      )
    }
    guard let base = report.base else { return }
    guard report.instance == entry.instance, base == entry.sequence else {
      throw Refusal(
        problem: .baseUnknown,
        detail: "report \(base) is not the last one here; send a complete one"
      )
    }
  }

  // MARK: Time

  /// The instant at which the next machine becomes unreachable; `nil` if none is live.
  package var deadline: Double? {
    entries.values.compactMap { entry in
      entry.isLive ? entry.rightAt.map { $0.time + ReportLimits.unreachableAfter } : nil
    }
    .min()
  }

  /// Finds the machines that have become unreachable.
  ///
  /// - Returns: The changes of the list.
  package mutating func expire(at now: Instant) -> [Change] {
    var changes: [Change] = []
    for (name, var entry) in entries {
      guard entry.isLive, Self.isTooOld(entry, at: now) else { continue }
      entry.isLive = false
      entry.lostAt = entry.rightAt?.wall
      entries[name] = entry
      changes += entry.kept.values.map { Self.shown($0, of: name, entry, at: now) }
    }
    return changes
  }

  private static func isTooOld(_ entry: Entry, at now: Instant) -> Bool {
    entry.rightAt.map { now.time - $0.time > ReportLimits.unreachableAfter } ?? true
  }

  /// Since when an unreachable machine is unreachable: as before, unless what it says was known to be right later.
  private static func lostAt(_ rightAt: Double, _ before: Double?) -> Double {
    before.flatMap { abs($0 - rightAt) <= ReportLimits.clockTolerance ? $0 : nil } ?? rightAt
  }

  static func text(_ wall: Double) -> String { InstantText.write(wall) }
}
