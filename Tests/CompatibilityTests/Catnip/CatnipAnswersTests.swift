import Foundation
import StrictJSON
import Testing
import TolerantDecoding
import Workspaces

@testable import CatnipDialect

/// Answers as catnip's own server sends them, read by ours.
@Suite struct CatnipAnswersTests {
  private let reader = WorkspaceAnswerReader(decoder: TolerantDecoder(countsUnread: true))

  private static let worktree = #"""
    {"id":"5b0c","repo_id":"acme/shop","name":"shop/moon","path":"/workspace/shop/moon","branch":"moon",
    "source_branch":"main","has_been_renamed":true,"commit_hash":"c0ffee","commit_count":2,"commits_behind":1,
    "is_dirty":true,"has_conflicts":false,"created_at":"2026-11-23T08:30:31.123456789Z",
    "last_accessed":"2026-11-23T08:30:31.123456789Z",
    "session_title":{"title":"Refunds","timestamp":"2026-11-23T08:31:00Z","commit_hash":"c0ffee"},
    "session_title_history":null,"has_active_claude_session":true,"claude_activity_state":"active",
    "pull_request_url":"https://example.org/1","pull_request_state":"OPEN","has_commits_ahead_of_remote":true,
    "todos":[{"id":"1","content":"Read","status":"completed","priority":"high"}],
    "latest_user_prompt":"Make it so.","latest_claude_message":"I am on it.","latest_claude_message_type":"assistant",
    "cache_status":{"is_cached":true,"is_loading":false}}
    """#

  @Test func `A list is read, and what has no place here is counted`() throws {
    let decoded = try reader.worktrees(Array("[\(Self.worktree)]".utf8))
    let it = try #require(decoded.model.elements.first)
    #expect(it.path == "/workspace/shop/moon")
    #expect((it.commitCount, it.commitsBehind) == (2, 1))
    #expect(it.isDirty && it.hasBeenRenamed && it.hasCommitsAheadOfRemote)
    #expect(it.claudeActivityState == .active)
    #expect(it.sessionTitle?.title == "Refunds")
    #expect(it.todos.map(\.status) == [.completed])
    #expect(it.latestClaudeMessage == "I am on it.")
    #expect(decoded.unread.sorted() == ["[0].pull_request_state", "[0].pull_request_url"])
    #expect(decoded.issues.allSatisfy { $0.kind == .unreadMember })
    #expect(try reader.worktrees([]).model.elements.isEmpty)
  }

  @Test func `One that cannot be read costs itself, and a member its value, each with an issue`()
    throws
  {
    let odd = #"""
      {"id":"2","repo_id":"a/b","name":"b/c","path":"/c","branch":"c","commit_count":"3","is_dirty":"yes",
      "todos":[7,{"content":"x","status":"blocked"},{"activeForm":"Doing"}],"session_title":"Flat","git":[]}
      """#
    let text = #"[\#(odd),{"id":"3","name":"no path"},null,\#(Self.worktree)]"#
    let decoded = try reader.worktrees(Array(text.utf8))
    #expect(decoded.model.elements.map(\.id) == ["2", "5b0c"])
    #expect(decoded.model.dropped == 2)
    let it = decoded.model.elements[0]
    #expect(it.commitCount == 3)
    #expect(it.isDirty)
    #expect(it.todos.map(\.content) == ["x", "Doing"])
    #expect(it.todos.map(\.status.rawValue) == ["blocked", "pending"])
    #expect(it.sessionTitle?.title == "Flat")
    let losses = decoded.issues.filter { $0.severity == .loss }.map(\.path)
    for path in ["[0].todos[0]", "[0].git", "[1].repo_id", "[1]", "[2]"] {
      #expect(losses.contains(path), "\(path) of \(losses)")
    }
    let warnings = decoded.issues.filter { $0.severity == .warning }.map(\.path)
    #expect(warnings.contains("[0].commit_count"))
  }

  @Test func `The word for its agent is what a worktree is doing`() throws {
    let base = #""id":"1","repo_id":"a/b","name":"b","path":"/b","branch":"b""#
    for (members, state, source) in [
      (#""claude_activity_state":"active""#, AgentActivity.State.working, "claude_activity_state"),
      (#""claude_activity_state":"running""#, .idle, "claude_activity_state"),
      (#""claude_activity_state":"inactive""#, .unknown, "none"),
      (#""claude_activity_state":"inactive","has_active_claude_session":true"#, .unknown, "none"),
      (#""has_active_claude_session":true"#, .idle, "claude_activity_state"),
      (#""is_dirty":true"#, .unknown, "none"),
      // What a server says itself counts.
      (
        #""claude_activity_state":"active","activity":{"state":"needs_you","source":"claude_log"}"#,
        .needsYou, "claude_log"
      ),
    ] {
      let decoded = try reader.worktrees(Array("[{\(base),\(members)}]".utf8))
      let it = try #require(decoded.model.elements.first)
      #expect(it.activity.state == state, "\(members)")
      #expect(it.activity.source == source, "\(members)")
    }
  }

  @Test func `A session keeps its counts, and tools are counts by name or names`() throws {
    let text = #"""
      {"sessionInfo":{"worktreePath":"/w","sessionStartTime":"2026-11-23T08:30:31.5Z","turnCount":4,"isActive":true,
      "lastSessionId":null,"lastDuration":3600,"lastCost":0.25,"allSessions":[]},"allSessions":[{"sessionId":"a"}],
      "latestUserPrompt":"x","latestThought":"Hm.","messages":null,
      "stats":{"totalMessages":9,"toolCallCount":3,"lastContextSizeTokens":41000,"activeToolNames":{"Read":1,"Bash":2}}}
      """#
    let decoded = try reader.session(Array(text.utf8))
    let session = decoded.model
    #expect(session.sessionInfo?.turnCount == 4)
    #expect(session.sessionInfo?.lastDuration == 3_600)
    #expect(session.latestThought == "Hm.")
    let stats = try #require(session.stats)
    #expect((stats.totalMessages, stats.toolCallCount) == (9, 3))
    #expect(stats.lastContextSizeTokens == 41_000)
    #expect(stats.activeToolNames == ["Bash", "Bash", "Read"])
    #expect(decoded.unread.sorted() == ["allSessions", "sessionInfo.allSessions"])
    let ours = try reader.session(
      Array(#"{"todos":[],"stats":{"activeToolNames":["b","a"]}}"#.utf8)
    )
    #expect(ours.model.stats?.activeToolNames == ["b", "a"])
  }

  @Test func `A diff without files, and a list in the place of changes`() throws {
    let diff = try reader.diff(
      Array(#"{"worktree_id":"1","worktree_name":"a","file_diffs":null,"total_files":0}"#.utf8)
    )
    #expect(diff.model?.fileDiffs.isEmpty == true)
    #expect(diff.model?.isTruncated == false)
    let changes = try reader.delta(Array("[\(Self.worktree)]".utf8)).model
    #expect(changes?.isFull == true)
    #expect(changes?.changed.map(\.id) == ["5b0c"])
    #expect(try reader.delta(Array(#"{"changed":[]}"#.utf8)).model == nil)
    #expect(throws: DecodeFailure.self) { try reader.delta(Array("<html>".utf8)) }
  }

  @Test func `A native client reads the same from a server that speaks to catnip's too`() throws {
    var native = try #require(
      try reader.worktrees(Array("[\(Self.worktree)]".utf8)).model.elements.first
    )
    native.todos = ["pending", "blocked", "cancelled", "in progress"].enumerated().map {
      Todo(id: "\($0)", content: "\($0)", status: .init(rawValue: $1))
    }
    let wording = CatnipWording()
    let json = try #require(
      try? JSONReader.value(
        of: wording.member(.todos, JSONValue.list(native.todos.map(Self.json)).bytes)
      )
    )
    let wrapped = JSONValue.object([
      "id": .string("1"), "repo_id": .string("a/b"), "name": .string("b"), "path": .string("/b"),
      "branch": .string("b"), "todos": json,
    ])
    #expect(try reader.worktree(RawJSON(wrapped)).model?.todos == native.todos)
    let session = #"{"todos":[],"stats":{"activeToolNames":["Bash","Bash","Read"]}}"#
    let written = wording.session(Array(session.utf8))
    #expect(
      try reader.session(written).model.stats == reader.session(Array(session.utf8)).model.stats
    )
  }

  @Test func `Foundation's decoder reads the same, fractions and nothing too`() throws {
    var worktree = try #require(
      try reader.worktrees(Array("[\(Self.worktree)]".utf8)).model.elements.first
    )
    (worktree.gitAge, worktree.activityAge, worktree.revision) = (0.125, nil, 7)
    worktree.git.trust = GitState.Trust(state: .trusted, digest: "d", programs: [], count: 0)
    let read = try JSONDecoder().decode(Workspace.self, from: JSONEncoder().encode(worktree))
    #expect(read == worktree)
    let list = Data("[\(Self.worktree)]".utf8)
    #expect(try JSONDecoder().decode([Workspace].self, from: list).map(\.id) == ["5b0c"])
    let session = Data(#"{"sessionInfo":{"lastDuration":1.5,"lastCost":null}}"#.utf8)
    let info = try JSONDecoder().decode(WorkspaceSession.self, from: session).sessionInfo
    #expect(info?.lastDuration == 1.5)
    for wrong in ["[]", "7", #"{"id":1,"repo_id":"a/b","name":"b","path":"/b","branch":"b"}"#] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(Workspace.self, from: Data(wrong.utf8))
      }
    }
  }

  private static func json(_ todo: Todo) -> JSONValue {
    .object([
      "id": .string(todo.id), "content": .string(todo.content),
      "status": .string(todo.status.rawValue), "priority": .string(todo.priority),
    ])
  }
}
