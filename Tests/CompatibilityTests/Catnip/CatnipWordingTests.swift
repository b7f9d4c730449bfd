import StrictJSON
import Testing
import Workspaces

@testable import CatnipDialect

@Suite struct CatnipWordingTests {
  private let wording = CatnipWording()

  private func value(_ text: String) throws -> JSONValue {
    try JSONReader.value(of: Array(text.utf8), rules: .lenient)
  }

  private func expect(
    _ key: Workspace.CodingKeys,
    _ native: String,
    _ expected: String
  ) throws {
    let written = wording.member(key, Array(native.utf8))
    #expect(try value(String(decoding: written, as: UTF8.self)) == value(expected), "\(key)")
  }

  @Test func `A status that the client does not know is mapped, with the agent's own beside it`()
    throws
  {
    let words = [
      "pending": "pending", "in_progress": "in_progress", "completed": "completed",
      "cancelled": "completed", "Canceled": "completed", "done": "completed",
      "in-progress": "in_progress", "InProgress": "in_progress", "doing": "in_progress",
      "blocked": "pending", "waiting": "pending", "": "pending", "erledigt": "pending",
    ]
    for (word, expected) in words {
      let beside = word == expected ? "" : #","originalStatus":"\#(word)""#
      try expect(
        .todos,
        #"[{"id":"1","content":"Test","status":"\#(word)","priority":"low"}]"#,
        #"[{"id":"1","content":"Test","status":"\#(expected)","priority":"low"\#(beside)}]"#
      )
    }
    try expect(
      .todos,
      #"[{"id":"1","content":"x","status":"pending","priority":""}]"#,
      #"[{"id":"1","content":"x","status":"pending","priority":"medium","originalPriority":""}]"#
    )
    try expect(.todos, "[]", "[]")
  }

  @Test func `Instants have whole seconds, and keep their zone`() throws {
    try expect(.createdAt, #""2026-11-23T08:30:31.531Z""#, #""2026-11-23T08:30:31Z""#)
    try expect(.lastAccessed, #""2026-11-23T08:30:31.9+01:00""#, #""2026-11-23T08:30:31+01:00""#)
    try expect(.createdAt, #""2026-11-23T08:30:31Z""#, #""2026-11-23T08:30:31Z""#)
    try expect(.createdAt, #""""#, "null")
    try expect(
      .sessionTitle,
      #"{"title":"1.5 times","timestamp":"2026-11-23T08:30:31.531Z"}"#,
      #"{"title":"1.5 times","timestamp":"2026-11-23T08:30:31Z"}"#
    )
    try expect(
      .sessionTitleHistory,
      #"[{"title":"a","timestamp":"2026-11-23T08:30:31.001Z","commit_hash":"c0ffee"}]"#,
      #"[{"title":"a","timestamp":"2026-11-23T08:30:31Z","commit_hash":"c0ffee"}]"#
    )
    // Members that the client reads as they are stay byte for byte.
    let git = #"{"staged":1,"compared":"2026-11-23T08:30:31.531Z"}"#
    #expect(wording.member(.git, Array(git.utf8)) == Array(git.utf8))
  }

  @Test func `A session has counts by tool, whole durations and the list of sessions`() throws {
    let native = """
      {"sessionInfo":{"worktreePath":"/w","turnCount":2,"isActive":true,"currentSessionId":"b",
      "lastSessionId":"a","lastDuration":33.523,"sessionStartTime":"2026-11-23T08:30:31.531Z"},
      "todos":[{"id":"1","content":"x","status":"blocked","priority":"high"}],
      "stats":{"totalMessages":3,"sessionDurationSeconds":33.523,"activeToolNames":["Bash","Read","Bash"]},
      "latestThought":"2.5","activity":{"since":"2026-11-23T08:30:31.531Z"}}
      """
    let entries = """
      [{"sessionId":"b","isActive":true,"startTime":"2026-11-23T08:30:31Z"},{"sessionId":"a","isActive":false}]
      """
    let expected = """
      {"sessionInfo":{"worktreePath":"/w","turnCount":2,"isActive":true,"currentSessionId":"b",
      "lastSessionId":"a","lastDuration":34,"sessionStartTime":"2026-11-23T08:30:31Z","allSessions":\(entries)},
      "allSessions":\(entries),
      "todos":[{"id":"1","content":"x","status":"pending","originalStatus":"blocked","priority":"high"}],
      "stats":{"totalMessages":3,"sessionDurationSeconds":33.523,"activeToolNames":{"Bash":2,"Read":1}},
      "latestThought":"2.5","messageCount":3,"activity":{"since":"2026-11-23T08:30:31.531Z"}}
      """
    let written = wording.session(Array(native.utf8))
    #expect(try value(String(decoding: written, as: UTF8.self)) == value(expected))
    #expect(wording.session(Array("[]".utf8)) == Array("[]".utf8))
  }
}
