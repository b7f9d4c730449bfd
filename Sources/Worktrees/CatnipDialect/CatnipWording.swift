package import HTTPTypes
import StrictJSON
package import Workspaces
import WorkspacesServer

/// How catnip's client expects members of worktrees and sessions: closed sets of words, whole numbers, whole seconds.
///
/// A word that was put in the place of another has the other beside it: `originalStatus`, `originalPriority`.
package struct CatnipWording: WorkspaceDialect {
  /// How long an unused worktree is the response to a repeated checkout, in seconds: the client gives up after 60 s,
  /// and its user tries again.
  package static let repeats = 180.0

  package init() {}

  package var checkoutStatus: HTTPResponse.Status { .ok }

  package var checkoutRepeats: Double { Self.repeats }

  package func member(_ key: Workspace.CodingKeys, _ json: [UInt8]) -> [UInt8] {
    switch key {
    case .todos: Self.rewritten(json, Self.todos)
    case .createdAt, .lastAccessed: Self.rewritten(json, Self.instant)
    case .sessionTitle: Self.rewritten(json, Self.title)
    case .sessionTitleHistory: Self.rewritten(json) { Self.each($0, Self.title) }
    default: json
    }
  }

  package func session(_ json: [UInt8]) -> [UInt8] { Self.session(json)?.bytes ?? json }

  // MARK: Sessions

  /// A native session in the client's types.
  static func session(_ json: [UInt8]) -> JSONValue? {
    guard case .object(var session)? = value(json) else { return nil }
    session["todos"] = session["todos"].map(todos)
    // Catnip's server reports it for `full=true` only; clients that do not ask for it ignore it.
    session["messageCount"] = session["stats"]?["totalMessages"]
    if case .object(var stats)? = session["stats"] {
      stats["activeToolNames"] = stats["activeToolNames"].map(counts)
      session["stats"] = .object(stats)
    }
    if case .object(var info)? = session["sessionInfo"] {
      for name in ["sessionStartTime", "sessionEndTime"] { info[name] = info[name].map(instant) }
      // Whole seconds, like the client's type.
      info["lastDuration"] = info["lastDuration"]?.double.map { JSONValue($0.rounded()) }
      let all = list(of: info)
      info["allSessions"] = all
      session["allSessions"] = all
      session["sessionInfo"] = .object(info)
    }
    return .object(session)
  }

  /// The sessions that are known of a worktree: the newest, and the one before it by its name only.
  private static func list(of info: [String: JSONValue]) -> JSONValue {
    var entries: [JSONValue] = []
    if let id = info["currentSessionId"] {
      var entry = ["sessionId": id, "isActive": info["isActive"] ?? .bool(false)]
      entry["startTime"] = info["sessionStartTime"]
      entry["endTime"] = info["sessionEndTime"]
      entry["lastModified"] = info["sessionEndTime"]
      entries.append(.object(entry))
    }
    if let id = info["lastSessionId"] {
      entries.append(.object(["sessionId": id, "isActive": .bool(false)]))
    }
    return .list(entries)
  }

  /// How often each name occurs in a list.
  private static func counts(_ names: JSONValue) -> JSONValue {
    guard let names = names.list else { return names }
    var counts: [String: Int64] = [:]
    for name in names { counts[name.string ?? "", default: 0] += 1 }
    return .object(counts.mapValues { .whole($0) })
  }

  // MARK: Todos

  /// The todos of a worktree.
  static func todos(of worktree: Workspace) -> JSONValue {
    .list(
      worktree.todos.map { todo in
        Self.todo([
          "id": .string(todo.id), "content": .string(todo.content),
          "status": .string(todo.status.rawValue), "priority": .string(todo.priority),
        ])
      }
    )
  }

  private static func todos(_ value: JSONValue) -> JSONValue {
    each(value) { $0.object.map(todo) ?? $0 }
  }

  private static func todo(_ members: [String: JSONValue]) -> JSONValue {
    var todo = members
    if let word = todo["status"]?.string, status(word) != word {
      todo["status"] = .string(status(word))
      todo["originalStatus"] = .string(word)
    }
    if let word = todo["priority"]?.string, !["high", "medium", "low"].contains(word) {
      todo["priority"] = .string("medium")
      todo["originalPriority"] = .string(word)
    }
    return .object(todo)
  }

  /// The client's word for a status: `pending`, `in_progress` or `completed`.
  ///
  /// An abandoned step counts as completed, since nothing is left to do.
  static func status(_ word: String) -> String {
    switch String(word.lowercased().filter { $0.isLetter }) {
    case "completed", "complete", "done", "finished", "closed", "resolved", "cancelled", "canceled",
      "skipped", "abandoned", "dropped":
      "completed"
    case "inprogress", "active", "doing", "working", "running", "started", "ongoing", "current":
      "in_progress"
    default: "pending"
    }
  }

  // MARK: Instants and titles

  /// A title with a whole second.
  static func title(_ title: SessionTitle) -> JSONValue {
    var members: [String: JSONValue] = [
      "title": .string(title.title), "timestamp": instant(.string(title.timestamp)),
    ]
    members["commit_hash"] = title.commitHash.map { .string($0) }
    return .object(members)
  }

  /// Titles with whole seconds.
  static func titles(_ titles: [SessionTitle]) -> JSONValue { .list(titles.map { title($0) }) }

  private static func title(_ value: JSONValue) -> JSONValue {
    guard case .object(var title) = value else { return value }
    title["timestamp"] = title["timestamp"].map(instant)
    return .object(title)
  }

  /// An instant without fractions of a second, with which the client cannot read it; null for one that is not known.
  private static func instant(_ value: JSONValue) -> JSONValue {
    guard let text = value.string else { return value }
    guard !text.isEmpty else { return .null }
    guard let dot = text.firstIndex(of: ".") else { return value }
    let zone = text[dot...].dropFirst().drop { $0.isNumber }
    return .string(String(text[..<dot] + zone))
  }

  // MARK: JSON

  private static func each(_ value: JSONValue, _ change: (JSONValue) -> JSONValue) -> JSONValue {
    value.list.map { .list($0.map(change)) } ?? value
  }

  private static func rewritten(
    _ json: [UInt8],
    _ change: (JSONValue) -> JSONValue
  ) -> [UInt8] {
    value(json).map { change($0).bytes } ?? json
  }

  private static func value(_ json: [UInt8]) -> JSONValue? {
    try? JSONReader.value(of: json, rules: .lenient)
  }
}
