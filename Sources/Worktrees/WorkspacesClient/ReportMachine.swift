package import Freshness
package import Workspaces

/// Decides what a machine reports to a hub, and when: takes events, an instant and a random sample, and returns orders.
///
/// One report is in flight at a time. The first is complete, later ones say what changed since the last one that the hub
/// accepted, and a hub that does not have that one gets a complete report (WH1). Numbers grow (WH2). Changes go out at once and
/// without one there is a heartbeat; failures and refusals lead to waits (WH4). What is more than a hub takes is left out and
/// counted (WH9).
package struct ReportMachine: Sendable {
  /// An event.
  package enum Event: Hashable, Sendable {
    /// The worktrees as the machine's server says, with ages as of now.
    case listed([Workspace])
    /// The hub responded; the code is that of its problem, the wait that of its `Retry-After`.
    case answered(status: Int, code: String?, detail: String?, retryAfter: Double?)
    /// The hub did not respond.
    case unanswered(String)
    /// The instant of the last ``Order/wake(at:)`` has come.
    case woke
    /// The reporter is to end.
    case ends
  }

  /// What is known when an event comes.
  package struct Now: Hashable, Sendable {
    /// The instant, in seconds of a clock that never goes back.
    package var time: Double
    /// How long ago the machine's server last confirmed its worktrees, in seconds.
    package var sourceAge: Double
    /// The wall clock, in milliseconds since 1970.
    package var wall: Int64
    /// A random sample.
    package var random: RandomSample

    /// Creates the facts.
    package init(time: Double, sourceAge: Double, wall: Int64, random: RandomSample) {
      self.time = time
      self.sourceAge = sourceAge
      self.wall = wall
      self.random = random
    }
  }

  /// What is to be done.
  package enum Order: Hashable, Sendable {
    /// Send a report.
    case send(WorkspaceReport)
    /// Wake at an instant; a later order replaces an earlier one.
    case wake(at: Double)
    /// Report to the user; it differs from the last report.
    case log(String)
    /// It is over, because of a refusal; `nil` if it was to end.
    case stop(String?)
  }

  /// What is reported when the hub accepts reports.
  package static let success = "reporting"

  private struct Held: Sendable {
    var workspace: Workspace
    var weight: Int
    var takenAt: Double
  }

  /// A state that the hub has, or will have.
  private struct Sent: Sendable {
    var sequence: Int64
    var worktrees: NameTable<Workspace>
    var isComplete: Bool
    var isLast: Bool
  }

  private let run: String
  /// How often another reporter took the place.
  private var takeovers = 0
  private var sequence: Int64 = 0
  private var held: NameTable<Held> = [:]
  private var omitted = 0
  private var hasList = false
  private var accepted: Sent?
  private var inFlight: Sent?
  private var sentAt = -Double.infinity
  private var notBefore = -Double.infinity
  private var heartbeat = ReportLimits.heartbeat
  private var failures = 0
  private var hasSucceeded = false
  private var isEnding = false
  private var isOver = false
  private var told: String?

  /// Starts without a list.
  ///
  /// - Parameter run: Identifies this run of the reporter; no other one has it.
  package init(run: String) { self.run = run }

  /// Takes an event.
  ///
  /// - Returns: What is to be done, in order.
  package mutating func handle(_ event: Event, _ now: Now) -> [Order] {
    guard !isOver else { return [] }
    var orders: [Order] = []
    switch event {
    case .listed(let worktrees): handle(worktrees, at: now.time)
    case .answered(let status, let code, let detail, let retryAfter):
      guard let sent = inFlight else { return [] }
      inFlight = nil
      switch status {
      case 200..<300: succeed(sent, now, &orders)
      case 409: conflict(sent, code, now, &orders)
      case 408, 425, 429, 500...:
        fail("the hub answers \(status)\(Self.explanation(detail))", retryAfter, now, &orders)
      default: refuse("the hub refuses (\(status))\(Self.explanation(detail))", now, &orders)
      }
    case .unanswered(let why):
      guard inFlight != nil else { return [] }
      inFlight = nil
      fail("the hub cannot be reached: \(why)", nil, now, &orders)
    case .woke: break
    case .ends: isEnding = true
    }
    guard !isOver else { return orders }
    advance(now, &orders)
    return orders
  }

  // MARK: The worktrees

  private mutating func handle(_ worktrees: [Workspace], at time: Double) {
    var next: NameTable<Held> = [:]
    var weight = 0
    omitted = 0
    // A hub shows worktrees of other machines, which report them themselves; its own list would come back to it, again
    // and again.
    for worktree in worktrees where worktree.machine == nil {
      guard let it = worktree.reported else {
        omitted += 1
        continue
      }
      // What did not change has the ages of when it was taken first; a revision alone may be one of an earlier server.
      let before = held[it.id].flatMap { before in
        before.workspace.revision == it.revision && Self.isSame(before.workspace, it) ? before : nil
      }
      let entry = before ?? Held(workspace: it, weight: it.weight, takenAt: time)
      guard next.count < ReportLimits.worktrees,
        weight + entry.weight <= ReportLimits.machineBytes
      else {
        omitted += 1
        continue
      }
      weight += entry.weight
      next[it.id] = entry
    }
    held = next
    hasList = true
  }

  /// The ids of what the hub does not have yet, or has otherwise; and of what it has too much.
  private var changes: (changed: [String], removed: [String]) {
    guard let accepted else { return (held.keys, []) }
    let changed = held.filter { id, it in
      guard let known = accepted.worktrees[id] else { return true }
      return !Self.isSame(known, it.workspace)
    }
    let removed = accepted.worktrees.keys.filter { held[$0] == nil }
    return (changed.keys, removed)
  }

  /// Whether two states look the same to people; ages and revisions do not.
  private static func isSame(_ one: Workspace, _ other: Workspace) -> Bool {
    var (one, other) = (one, other)
    (one.gitAge, one.activityAge, one.revision) = (nil, nil, 0)
    (other.gitAge, other.activityAge, other.revision) = (nil, nil, 0)
    return one == other && one.hasSameNames(as: other)
  }

  // MARK: Responses

  private mutating func succeed(_ sent: Sent, _ now: Now, _ orders: inout [Order]) {
    accepted = sent
    hasSucceeded = true
    failures = 0
    notBefore = -.infinity
    let tenth = Instant.Duration(milliseconds: Int64(ReportLimits.heartbeat * 100))
    heartbeat = ReportLimits.heartbeat - Double(now.random.upTo(tenth).milliseconds) / 1_000
    if sent.isLast {
      finish(nil, &orders)
    } else {
      log(Self.success, &orders)
    }
  }

  private mutating func conflict(
    _ sent: Sent,
    _ code: String?,
    _ now: Now,
    _ orders: inout [Order]
  ) {
    accepted = nil
    if code == ReportProblem.replaced.rawValue {
      takeovers += 1
      sequence = 0
      pause(ReportLimits.longestPause, nil, now)
      log("another reporter reports under the same name", &orders)
    } else if sent.isComplete {
      fail("the hub does not accept a complete report", nil, now, &orders)
    }
  }

  private mutating func fail(
    _ why: String,
    _ retryAfter: Double?,
    _ now: Now,
    _ orders: inout [Order]
  ) {
    failures = min(failures + 1, 32)
    var wait = ReportLimits.firstPause
    for _ in 1..<max(failures, 1) where wait < ReportLimits.longestPause { wait *= 2 }
    pause(min(wait, ReportLimits.longestPause), retryAfter, now)
    log(why, &orders)
  }

  private mutating func refuse(_ why: String, _ now: Now, _ orders: inout [Order]) {
    guard hasSucceeded else { return finish(why, &orders) }
    pause(ReportLimits.longestPause, nil, now)
    log(why, &orders)
  }

  /// Waits, half as long again at random.
  private mutating func pause(_ seconds: Double, _ retryAfter: Double?, _ now: Now) {
    let wait = Instant.Duration(milliseconds: Int64(seconds * 1_000))
    let varied = Jitter.above(50).applied(to: wait, random: now.random)
    let asked = min(max(retryAfter ?? 0, 0), ReportLimits.longestRetryAfter)
    notBefore = now.time + max(Double(varied.milliseconds) / 1_000, asked)
  }

  private mutating func log(_ text: String, _ orders: inout [Order]) {
    guard text != told else { return }
    told = text
    orders.append(.log(text))
  }

  private mutating func finish(_ why: String?, _ orders: inout [Order]) {
    isOver = true
    orders.append(.stop(why))
  }

  private static func explanation(_ detail: String?) -> String {
    guard let detail, !detail.isEmpty else { return "" }
    return ": \(detail.prefix(200))"
  }

  // MARK: What is due

  private mutating func advance(_ now: Now, _ orders: inout [Order]) {
    guard inFlight == nil else { return }
    if isEnding {
      // A hub that accepted nothing, or does not respond, need not be notified of the end.
      guard accepted != nil, failures == 0 else { return finish(nil, &orders) }
      return send(now, &orders)
    }
    guard hasList else { return }
    let changes = accepted == nil ? nil : changes
    let isDue = changes.map { !$0.changed.isEmpty || !$0.removed.isEmpty } ?? true
    let due = max(notBefore, sentAt + (isDue ? ReportLimits.spacing : heartbeat))
    guard now.time >= due else { return orders.append(.wake(at: due)) }
    send(now, &orders)
  }

  private mutating func send(_ now: Now, _ orders: inout [Order]) {
    let changes = changes
    sequence += 1
    let report = WorkspaceReport(
      instance: "\(run)-\(takeovers)",
      sequence: sequence,
      base: accepted?.sequence,
      age: Int64(min(max(now.sourceAge, 0), 1e9) * 1_000),
      clock: now.wall,
      changed: changes.changed.sorted { $0.isNameBefore($1) }.compactMap { id in
        held[id].map { Self.aged($0, at: now.time) }
      },
      removed: changes.removed.sorted { $0.isNameBefore($1) },
      omitted: omitted,
      isLast: isEnding
    )
    inFlight = Sent(
      sequence: sequence,
      worktrees: held.mapValues(\.workspace),
      isComplete: accepted == nil,
      isLast: isEnding
    )
    sentAt = now.time
    orders.append(.send(report))
  }

  private static func aged(_ held: Held, at time: Double) -> Workspace {
    var workspace = held.workspace
    let passed = max(time - held.takenAt, 0)
    workspace.gitAge = workspace.gitAge.map { $0 + passed }
    workspace.activityAge = workspace.activityAge.map { $0 + passed }
    return workspace
  }
}
