import CatnipDialect
import ConditionalHTTP
import ContractSchema
import Foundation
import HTTPTypes
import NIOCore
import Serving
import StrictJSON
import Testing
import Workspaces

@testable import WorkspacesServer
@testable import WorktreeWatch

@Suite("The answers about worktrees and openapi-workspaces.json")
struct ContractTests {
  @Test
  func `Types and document have the same members, kinds and words`() throws {
    var answers = ContractAnswers(
      comparison: SchemaComparison(try ContractDocument("openapi-workspaces.json"))
    )
    for dialect in [nil, CatnipWording()] as [CatnipWording?] {
      try answers.compareReads(dialect)
      try answers.compareActions(dialect)
      try answers.compareEvents(dialect)
    }
    try answers.compareRest()
    try answers.compareProblems()
    let comparison = answers.comparison
    for difference in comparison.differences(
      streams: ["Envelope", "Snapshot"],
      statuses: ["200", "201", "204", "409"]
    ) {
      Issue.record("\(difference)")
    }
  }
}

/// Answers with every member, and with none that may be left out.
private struct ContractAnswers {
  private static let list = "/v1/git/worktrees"
  private static let item = "/v1/git/worktrees/{id}"
  private static let instant = "2026-11-29T02:00:00.500Z"

  var comparison: SchemaComparison

  private mutating func compare(
    _ bytes: [UInt8],
    _ operation: String,
    _ status: String = "200",
    _ type: String = "application/json"
  ) throws {
    let value = try ContractDocument.value(of: bytes)
    comparison.compare(value, answering: operation, status, type)
  }

  private mutating func compare(_ value: some Encodable, _ operation: String) throws {
    try compare(WorkspaceJSON.bytes(value), operation)
  }

  /// The bytes that a writer of the server makes.
  private static func bytes(
    _ dialect: CatnipWording?,
    _ write: (inout WorkspaceBytes) -> Void
  ) -> [UInt8] {
    var out = WorkspaceBytes(dialect)
    write(&out)
    return out.bytes
  }

  // MARK: Worktrees

  private static var minimal: Workspace {
    Workspace(id: "1", repoId: "local/main", name: "main/a", path: "/work/a", branch: "a")
  }

  private static var full: Workspace {
    var worktree = Workspace(
      id: "2",
      repoId: "local/main",
      name: "main/b",
      path: "/work/b",
      branch: "b"
    )
    worktree.createdAt = instant
    worktree.lastAccessed = instant
    let title = SessionTitle(title: "A board", timestamp: instant, commitHash: "abc")
    worktree.sessionTitle = title
    worktree.sessionTitleHistory = [title, SessionTitle(title: "Before", timestamp: "")]
    worktree.todos = todos
    worktree.latestUserPrompt = "Go on"
    worktree.latestSessionTitle = title.title
    worktree.latestClaudeMessage = "Done"
    worktree.latestClaudeMessageType = "assistant"
    worktree.git = git
    worktree.activity = activity
    worktree.machine = WorkspaceMachine(
      name: "laptop",
      state: .unreachable,
      unreachableSince: instant
    )
    return worktree
  }

  private static let todos = [
    Todo(id: "1", content: "Read", status: .completed, priority: "high"),
    Todo(id: "2", content: "Write", status: .cancelled),
  ]

  private static var git: GitState {
    var git = GitState()
    git.head = "abc"
    git.branch = "b"
    git.upstream = "origin/b"
    git.ahead = 1
    git.behind = 2
    git.conflicts = ["a.txt"]
    git.operation = GitState.Operation(kind: "rebase", step: 1, steps: 2, branch: "b")
    git.compared = "origin/main"
    git.locked = "on a stick"
    git.problem = "git failed"
    git.outside = "/elsewhere"
    git.trust = GitState.Trust(
      state: .untrusted,
      digest: "abc",
      programs: [
        GitState.Program(key: "filter.x.clean", command: "x", file: "/work/b", use: "action"),
        GitState.Program(key: "hook pre-commit", command: "y", file: nil, use: "action"),
      ],
      count: 2
    )
    return git
  }

  private static let activity = AgentActivity(
    state: .needsYou,
    source: "claude_log",
    since: instant,
    reason: "a permission",
    agents: [
      AgentPresence(
        agent: "claude-code",
        sessionId: "1",
        pid: 7,
        state: .needsYou,
        source: "claude_log",
        since: instant,
        tool: "Bash",
        reason: "a permission"
      ), AgentPresence(agent: "codex", state: .unknown, source: "process"),
    ]
  )

  /// A registry with both, of which one has an operation without steps.
  private static var registry: WorkspaceRegistry {
    var registry = WorkspaceRegistry(generation: "g")
    registry.put(minimal)
    var short = full
    short.id = "3"
    short.git.operation = GitState.Operation(kind: "merge")
    short.machine = WorkspaceMachine(name: "laptop", state: .live)
    registry.put(short, askedAt: 0, activitySince: 0.25)
    registry.put(full, askedAt: 0, activitySince: 0.25)
    return registry
  }

  // MARK: Reads

  mutating func compareReads(_ dialect: CatnipWording?) throws {
    let registry = Self.registry
    try compare(Self.bytes(dialect) { $0.all(registry) }, "GET \(Self.list)")
    var later = registry
    later.remove("1")
    for changes in [later.changes(since: 1), nil] {
      try compare(Self.bytes(dialect) { $0.delta(changes, of: later) }, "GET \(Self.list)")
    }
    for record in registry.all {
      let bytes = Self.bytes(dialect) { $0.workspace(record) }
      try compare(bytes, "GET \(Self.item)")
      try compare(bytes, "POST \(Self.item)/refresh")
    }
    let session = "GET /v1/sessions/workspace/{id}"
    for value in [Self.session, WorkspaceSession(sessionInfo: nil), Self.shortSession] {
      let bytes = WorkspaceJSON.bytes(value)
      try compare(dialect?.session(bytes) ?? bytes, session)
    }
    try compareBatch(dialect, registry)
  }

  private mutating func compareBatch(
    _ dialect: CatnipWording?,
    _ registry: WorkspaceRegistry
  ) throws {
    let tag = EntityTag("1")
    let contents = [
      Self.bytes(dialect) { $0.all(registry) }, Self.bytes(dialect) { $0.delta(nil, of: registry) },
      Self.bytes(dialect) { $0.workspace(registry.all[0]) },
      WorkspaceJSON.bytes(Self.session), WorkspaceJSON.bytes(Self.diff),
    ]
    let missing = Problem(.worktreeNotFound, detail: "there is none")
    let parts: [WorkspaceBytes.Part] =
      contents.map { .init(path: Self.list, answer: .content($0, tag)) } + [
        .init(path: Self.list, answer: .unchanged(tag)),
        .init(path: Self.list, answer: .problem(missing)),
      ]
    try compare(Self.bytes(dialect) { $0.batch(parts) }, "POST /v1/batch")
  }

  private static var session: WorkspaceSession {
    var info = WorkspaceSession.Info(worktreePath: "/work/b", turnCount: 1, isActive: true)
    info.sessionStartTime = instant
    info.sessionEndTime = instant
    info.lastSessionId = "1"
    info.currentSessionId = "2"
    info.header = "A board"
    info.lastCost = 0.5
    info.lastDuration = 1.5
    info.lastTotalInputTokens = 1
    info.lastTotalOutputTokens = 2
    var stats = WorkspaceSession.Stats()
    stats.sessionDurationSeconds = 1.5
    stats.activeDurationSeconds = 0.5
    stats.activeToolNames = ["Bash"]
    return WorkspaceSession(
      sessionInfo: info,
      latestUserPrompt: "Go on",
      latestMessage: "Done",
      latestThought: "Hm",
      latestSessionTitle: "A board",
      todos: todos,
      stats: stats,
      activity: activity
    )
  }

  private static var shortSession: WorkspaceSession {
    WorkspaceSession(sessionInfo: WorkspaceSession.Info(worktreePath: "/work/b"))
  }

  private static var diff: WorkspaceDiff {
    var file = WorkspaceDiff.File(filePath: "a", changeType: "renamed")
    file.diffText = "@@"
    file.oldPath = "b"
    file.added = 1
    file.removed = 1
    file.omitted = "binary"
    return WorkspaceDiff(
      worktreeId: "1",
      worktreeName: "main/a",
      sourceBranch: "main",
      forkCommit: "abc",
      fileDiffs: [file, WorkspaceDiff.File(filePath: "c", changeType: "added")],
      totalFiles: 2,
      summary: "2 files",
      isTruncated: false
    )
  }

  // MARK: Actions

  private static var points: [RestorePoint] {
    var point = RestorePoint(
      id: "1",
      kind: .merge,
      full,
      createdAt: instant,
      keptUntil: instant
    )
    point.result = "def"
    point.ref = "refs/freshet/1"
    let short = RestorePoint(
      id: "2",
      kind: .delete,
      minimal,
      createdAt: instant,
      keptUntil: instant
    )
    return [point, short]
  }

  mutating func compareActions(_ dialect: CatnipWording?) throws {
    let records = Self.registry.all
    let checkout = "POST /v1/git/checkout/{owner}/{repository}"
    for record in records {
      let created = Self.bytes(dialect) { $0.created(record, "it is there") }
      try compare(created, "POST \(Self.list)", "201")
      try compare(created, checkout, "201")
      try compare(created, checkout, "200")
    }
    for point in Self.points {
      try compare(
        Self.bytes(dialect) { $0.deleted("1", point, "it is gone") },
        "DELETE \(Self.item)"
      )
    }
    let dones = [
      Self.bytes(dialect) {
        $0.done("done", records[0], restore: Self.points[0], removed: Self.points[1])
      }, Self.bytes(dialect) { $0.done("done", nil, restore: nil, removed: nil) },
    ]
    for operation in [
      "POST \(Self.item)/merge", "POST \(Self.item)/sync", "POST \(Self.item)/trust",
      "DELETE \(Self.item)/trust", "POST /v1/git/restore/{id}",
    ] {
      for done in dones { try compare(done, operation) }
    }
  }

  mutating func compareRest() throws {
    try compare(Self.diff, "GET \(Self.item)/diff")
    for operation in ["merge", "sync"] {
      let check = ConflictReport(
        hasConflicts: true,
        operation: operation,
        worktreeName: "main/a",
        worktreePath: "/work/a",
        conflictFiles: ["a.txt"],
        message: "a.txt conflicts"
      )
      try compare(check, "GET \(Self.item)/\(operation)/check")
      var conflict = check
      conflict.error = WorkspaceProblem.mergeConflict.rawValue
      try compare(WorkspaceJSON.bytes(conflict), "POST \(Self.item)/\(operation)", "409")
    }
    try compare(["main"], "GET /v1/git/branches/{repository}")
    try compare(Self.points, "GET /v1/git/restore")
    try compare(RestoreEndpoints.forgotten(Self.points[0]), "DELETE /v1/git/restore/{id}")
    let omission = Omission(.hidden, "/work/.x", "the name begins with a dot")
    try compare([omission], "GET /v1/git/omissions")
    try compare(WorkspaceRefusal.all, "GET /v1/git/refusals")
    try compare(WorkspacesService.info(version: "1"), "GET /v1/info")
    let machines = [
      MachineStatus(
        name: "laptop",
        state: .unreachable,
        unreachableSince: Self.instant,
        detail: "no report",
        age: 5
      ), MachineStatus(name: "desk", state: .live),
    ]
    try compare(machines, "GET /v1/machines")
  }

  // MARK: Events

  /// All events of a stream: each of a record that is new, one that changed, and one that is gone.
  mutating func compareEvents(_ dialect: CatnipWording?) throws {
    let text = WorkspaceEventText(dialect: dialect, began: 0)
    let before = Self.registry
    var registry = before
    // Every member becomes another, those that can be absent also absent.
    for (id, other) in [("1", Self.full), ("2", Self.minimal)] {
      var worktree = other
      worktree.id = id
      worktree.repoId = "local/other"
      worktree.name = "other"
      worktree.path = "/other/\(id)"
      worktree.branch = "other"
      worktree.sourceBranch = "other"
      worktree.hasBeenRenamed = true
      worktree.commitHash = "def"
      worktree.commitCount = 5
      worktree.commitsBehind = 5
      worktree.isDirty = true
      worktree.hasConflicts = true
      worktree.hasActiveClaudeSession = true
      worktree.claudeActivityState = .active
      worktree.hasCommitsAheadOfRemote = true
      worktree.isMain = true
      worktree.cacheStatus = Workspace.CacheStatus(isCached: true)
      registry.put(worktree, askedAt: 0, activitySince: 0.25)
    }
    registry.remove("3")
    let changes = try #require(registry.changes(since: before.revision))
    var buffers = [
      text.reset(registry), text.snapshot(registry), text.heartbeat(registry),
      text.events(changes, since: before.revision, registry),
    ]
    // A change of one member leaves all others as they are.
    for member in [\Workspace.isDirty, \Workspace.hasConflicts] {
      let last = registry.revision
      var worktree = try #require(registry["1"]).workspace
      worktree[keyPath: member].toggle()
      registry.put(worktree)
      let rest = try #require(registry.changes(since: last))
      buffers.append(text.events(rest, since: last, registry))
    }
    let all = try #require(registry.changes(since: 0))
    buffers.append(text.events(all, since: 0, registry))
    for buffer in buffers {
      for line in String(buffer: buffer).split(separator: "\n") where line.hasPrefix("data: ") {
        let value = try ContractDocument.value(of: Array(line.dropFirst(6).utf8))
        comparison.compare(value, with: "Envelope")
      }
    }
  }

  // MARK: Problems

  mutating func compareProblems() throws {
    var problems = WorkspaceProblem.allCases.map { Problem($0, detail: "wrong") }
    problems += ReportProblem.allCases.map { Problem(.conflict, $0.rawValue, detail: "wrong") }
    problems.append(QueryItems.invalid("force", "x", "0 or 1"))
    let machine = try #require(Self.full.machine)
    var elsewhere = Self.minimal
    elsewhere.machine = machine
    do {
      try WorkspaceReader.requireHere(elsewhere)
    } catch {
      problems.append(error)
    }
    let uses: [LiveProcess.Use] = [.file("/work/a/x"), .workingFolder]
    let refusal = ActionRefusal(
      .agentActive,
      "processes run there",
      files: ["a"],
      processes: uses.map { LiveProcess(number: 7, start: 0, name: "vim", use: $0) }
    )
    problems.append(
      Problem(
        refusal.problem,
        detail: refusal.detail,
        extensions: ActionEndpoints.extensions(refusal)
      )
    )
    for problem in problems {
      let bytes = WorkspaceJSON.bytes(problem.details)
      comparison.compare(try ContractDocument.value(of: bytes), with: "Problem")
    }
    let problem = try #require(problems.last)
    for operation in ["merge", "sync"] {
      try compare(
        WorkspaceJSON.bytes(problem.details),
        "POST \(Self.item)/\(operation)",
        "409",
        "application/problem+json"
      )
    }
  }
}
