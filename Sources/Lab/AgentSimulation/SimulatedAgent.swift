package import Agents
import Hashing

/// The life of one agent in one worktree: a seed and a start time determine one sequence of acts.
///
/// ```
///  away ──start──► idle ──prompt──► working ◄──answer── needs you
///    ▲               ▲                 │ ├──asks───────────▲
///    │               │                 │ ├──fails──► needs you
///    ├──quits────────┤◄──stopped───────┘ ├──finishes──► done ──look──► idle
///    └──killed in the midst of a line ───┘
/// ```
package struct SimulatedAgent: Sendable {
  /// The frequencies of events, in percent.
  package struct Habits: Hashable, Sendable {
    /// A turn in which the process is killed while it writes.
    package var crashes = 6
    /// A turn that the user stops.
    package var interruptions = 8
    /// A turn that fails.
    package var failures = 5
    /// A step for which the agent asks first.
    package var requests = 12
    /// A result that the user looks at before the next prompt.
    package var inspections = 60
    /// A pause after which the agent is closed.
    package var exits = 10
    /// A pause after which the user begins another session in the same process.
    package var clearings = 10

    /// Creates the default habits.
    package init() {}
  }

  /// The number of the agent.
  package let number: Int
  /// The worktree.
  package let worktree: String
  /// The kind of agent.
  package let dialect: AgentDialect

  private let habits: Habits
  private let pace: Double
  private var random: SplitMix64
  private var now: WallTime
  private var writer: any RecordWriter
  private var acts: [SimulatedAct] = []
  private var isRunning = false
  private var turns = 0
  private var edits = 0

  /// Creates an agent that has not started.
  ///
  /// - Parameters:
  ///   - number: Its number, from 0.
  ///   - worktree: The worktree.
  ///   - dialect: The kind of agent.
  ///   - seed: The seed, which determines its life together with its number.
  ///   - startsAt: When its life begins.
  ///   - pace: How many times faster than a real one it runs.
  ///   - habits: The frequencies of events.
  package init(
    number: Int,
    worktree: String,
    dialect: AgentDialect,
    seed: UInt64,
    startsAt: WallTime,
    pace: Double = 1,
    habits: Habits = Habits()
  ) {
    self.number = number
    self.worktree = worktree
    self.dialect = dialect
    self.habits = habits
    self.pace = pace
    random = SplitMix64(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
    now = startsAt.advanced(by: Int64(Double(random.wait(0.5...8)) / pace))
    writer = Self.writer(dialect, worktree, now, &random)
  }

  /// Returns the next acts, in order of time: one turn and the acts around it.
  package mutating func next() -> [SimulatedAct] {
    acts = []
    if !isRunning { start() }
    turn()
    return acts
  }

  // MARK: Coming and going

  private mutating func start() {
    isRunning = true
    let isResumed = turns > 0 && random.happens(50)
    if turns > 0, !isResumed { renew() }
    // Opening the agent again shows what it did last.
    add(.inspect)
    add(.start(command: dialect.command))
    add(.truth(.idle, reason: "started"))
    register("idle")
    // An agent that writes the neutral format logs its start; the others log nothing before a
    // prompt.
    if dialect != .neutral { pass(1...20) }
    write(writer.begin(isResumed: isResumed, at: now))
  }

  private mutating func renew() { writer = Self.writer(dialect, worktree, now, &random) }

  private static func writer(
    _ dialect: AgentDialect,
    _ directory: String,
    _ now: WallTime,
    _ random: inout SplitMix64
  ) -> any RecordWriter {
    let seed = random.next()
    switch dialect {
    case .claude10, .claude20, .claude21:
      return ClaudeWriter(dialect, directory: directory, seed: seed)
    case .codex20, .codex46, .codex90:
      return CodexWriter(dialect, directory: directory, startedAt: now, seed: seed)
    case .neutral:
      return NeutralWriter(agent: dialect.command, directory: directory, seed: seed)
    }
  }

  private mutating func pause(afterResult: Bool) {
    pass(4...90)
    var isSeen = !afterResult
    if afterResult, random.happens(habits.inspections) {
      add(.inspect)
      add(.truth(.idle, reason: "seen"))
      isSeen = true
      pass(1...20)
    }
    if random.happens(habits.exits) {
      quit(isSeen: isSeen)
    } else if random.happens(habits.clearings), isSeen, dialect != .neutral {
      renew()
      add(.truth(.idle, reason: "cleared"))
      register("idle")
      pass(1...10)
      write(writer.begin(isResumed: false, at: now))
      pass(1...5)
    }
  }

  private mutating func quit(isSeen: Bool) {
    isRunning = false
    register(nil)
    add(.stop(isKilled: false))
    if isSeen { add(.truth(.ended, reason: "closed")) }
    pass(10...120)
  }

  // MARK: One turn

  private mutating func turn() {
    turns += 1
    pass(1...10)
    write(writer.prompt(random.pick(SimulatedTexts.prompts, or: "Go on"), at: now))
    add(.truth(.working, reason: "prompt"))
    pass(0.05...0.2)
    register("busy")
    if turns == 1 || random.happens(20) {
      pass(1...3)
      write(writer.title(random.pick(SimulatedTexts.titles, or: "Work"), at: now))
    }
    var plan = SimulatedTexts.steps.shuffled(using: &random)
      .prefix(Int.random(in: 2...5, using: &random))
      .map { SimulatedStep(content: $0, status: "pending") }
    for index in plan.indices {
      plan[index].status = "in_progress"
      pass(0.5...4)
      show(plan)
      for _ in 0..<Int.random(in: 1...3, using: &random) { step() }
      if random.happens(habits.crashes / 3 + 1), turns % 3 == 0 {
        crash()
        return
      }
      plan[index].status = "completed"
    }
    end(plan)
  }

  private mutating func end(_ plan: [SimulatedStep]) {
    pass(0.5...3)
    if random.happens(habits.interruptions), dialect != .claude10, dialect != .codex20 {
      write(writer.interrupt(at: now))
      add(.truth(.idle, reason: "interrupted"))
      register("idle")
      pause(afterResult: false)
    } else if random.happens(habits.failures), dialect != .codex20 {
      write(writer.fail(SimulatedTexts.failure, at: now))
      add(.truth(.needsYou, reason: "failed"))
      register("idle")
      pause(afterResult: true)
    } else {
      show(plan)
      if edits > 0 { add(.commit(message: "Work of turn \(turns)")) }
      pass(1...4)
      write(writer.finish(random.pick(SimulatedTexts.answers, or: "Done."), at: now))
      add(.truth(.doneUnseen, reason: "finished"))
      register("idle")
      pause(afterResult: true)
    }
  }

  private mutating func step() {
    pass(0.5...12)
    if random.happens(60) {
      write(writer.thought(random.pick(SimulatedTexts.thoughts, or: "…"), at: now))
    }
    if random.happens(40) {
      pass(0.2...5)
      write(writer.remark(random.pick(SimulatedTexts.remarks, or: "…"), at: now))
    }
    if random.happens(3) { write(writer.riddle(at: now)) }
    if random.happens(4) { write(writer.retry("Overloaded", at: now)) }
    pass(0.2...2)
    random.happens(habits.requests) ? request() : use()
  }

  private mutating func use() {
    let id = random.name("call_")
    let tool: SimulatedTool =
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: .edit(random.pick(SimulatedTexts.files, or: "notes.txt"))
      case 4..<6: .read(random.pick(SimulatedTexts.files, or: "notes.txt"))
      case 6..<9: .run(random.pick(SimulatedTexts.commands, or: "make"))
      default: .delegate("Look for every use of it")
      }
    write(writer.call(tool, id: id, at: now))
    switch tool {
    case .edit(let file):
      pass(0.05...0.4)
      edits += 1
      add(.edit(file: file, line: "Edit \(edits) of agent \(number)"))
    case .read: pass(0.05...0.2)
    // A few commands take longer than every threshold of the system under test.
    case .run: random.happens(6) ? pass(200...400) : pass(0.3...40)
    case .delegate: pass(5...90)
    }
    write(writer.result(tool, id: id, at: now))
  }

  /// Asks for a permission; the user answers after a while.
  private mutating func request() {
    let id = random.name("call_")
    let isPermission = random.happens(60) && dialect != .claude20 && dialect != .claude10
    let text = isPermission ? "make deploy" : "Which of the two files is meant?"
    guard isPermission || (dialect != .codex20 && dialect != .codex46) else { return }
    write(
      isPermission
        ? writer.permission(text, id: id, at: now) : writer.question(text, id: id, at: now)
    )
    add(.truth(.needsYou, reason: isPermission ? "permission" : "question"))
    register("waiting", for: isPermission ? "permission prompt" : "input needed")
    pass(2...60)
    write(writer.answer(id, at: now))
    add(.truth(.working, reason: "answered"))
    register("busy")
  }

  /// Kills the process while it writes a line.
  private mutating func crash() {
    pass(0.5...3)
    let line = writer.remark(random.pick(SimulatedTexts.remarks, or: "…"), at: now).joined()
    write([Array(line.prefix(line.count / 2))])
    isRunning = false
    add(.stop(isKilled: true))
    add(.truth(.ended, reason: "killed"))
    pass(5...90)
  }

  // MARK: Acts

  private mutating func pass(_ seconds: ClosedRange<Double>) {
    now = now.advanced(by: Int64((Double(random.wait(seconds)) / pace).rounded(.up)))
  }

  private mutating func add(_ kind: SimulatedAct.Kind) {
    acts.append(SimulatedAct(at: now, agent: number, kind: kind))
  }

  private mutating func write(_ lines: [[UInt8]]) {
    guard !lines.isEmpty else { return }
    let home: SimulatedAct.Home =
      switch dialect {
      case .claude10, .claude20, .claude21: .claude
      case .codex20, .codex46, .codex90: .codex
      case .neutral: .neutral
      }
    add(.append(home, path: writer.path, Array(lines.joined())))
  }

  private mutating func show(_ plan: [SimulatedStep]) {
    write(writer.plan(plan, at: now))
    add(.todos(plan.map(\.status)))
  }

  private mutating func register(_ status: String?, for reason: String? = nil) {
    guard dialect == .claude21 else { return }
    add(.register(session: writer.session, status: status, waitingFor: reason))
  }
}
