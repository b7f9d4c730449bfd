import ConditionalHTTP
import Serving
import Workspaces
import WorktreeWatch

// The bodies of the answers; `openapi-workspaces.json` describes them, and a test compares both.
extension WorkspaceBytes {
  /// One answer of a batch.
  struct Part {
    enum Answer {
      /// The client has it.
      case unchanged(EntityTag)
      /// The body with its tag.
      case content([UInt8], EntityTag)
      /// The resource cannot be read.
      case problem(Problem)
    }

    /// The path that was asked for.
    var path: String
    var answer: Answer
  }

  /// Writes all worktrees.
  mutating func all(_ registry: WorkspaceRegistry) { list(registry.all) { $0.workspace($1) } }

  /// Writes what changed: `Delta`.
  ///
  /// - Parameters:
  ///   - changes: The changes; `nil` writes everything.
  ///   - registry: The worktrees.
  mutating func delta(_ changes: WorkspaceRegistry.Changes?, of registry: WorkspaceRegistry) {
    raw("{\"revision\":\"\(registry.generation)-\(registry.revision)\",")
    raw("\"full\":\(changes == nil),\"changed\":")
    let records = changes?.records.sorted { $0.workspace.isBefore($1.workspace) }
    list(records ?? registry.all) { $0.workspace($1) }
    raw(",\"removed\":")
    list(changes?.removals ?? []) { $0.text($1.id) }
    raw("}")
  }

  /// Writes a worktree that was created: `Created`.
  mutating func created(_ record: WorkspaceRegistry.Record, _ message: String) {
    raw("{\"worktree\":")
    workspace(record)
    raw(",\"message\":")
    text(message)
    raw("}")
  }

  /// Writes that a worktree was deleted: `Deleted`.
  mutating func deleted(_ id: String, _ point: RestorePoint, _ message: String) {
    raw("{\"message\":")
    text(message)
    raw(",\"id\":")
    text(id)
    raw(",\"restore\":")
    raw(WorkspaceJSON.bytes(point))
    raw("}")
  }

  /// Writes that an action was carried out: `Done`.
  mutating func done(
    _ message: String,
    _ record: WorkspaceRegistry.Record?,
    restore: RestorePoint?,
    removed: RestorePoint?
  ) {
    raw("{\"message\":")
    text(message)
    raw(",\"worktree\":")
    if let record { workspace(record) } else { raw("null") }
    for (name, point) in [("restore", restore), ("removed", removed)] {
      guard let point else { continue }
      raw(",\"\(name)\":")
      raw(WorkspaceJSON.bytes(point))
    }
    raw("}")
  }

  /// Writes the answers of a batch: `BatchAnswer`.
  mutating func batch(_ parts: [Part]) {
    raw("{\"responses\":")
    list(parts) { out, part in
      out.raw("{\"path\":")
      out.text(part.path)
      switch part.answer {
      case .unchanged(let tag):
        out.raw(",\"status\":304,\"etag\":")
        out.text(tag.description)
      case .content(let body, let tag):
        out.raw(",\"status\":200,\"etag\":")
        out.text(tag.description)
        out.raw(",\"body\":")
        out.raw(body)
      case .problem(let problem):
        out.raw(",\"status\":\(problem.details.status),\"body\":")
        out.raw(WorkspaceJSON.bytes(problem.details))
      }
      out.raw("}")
    }
    raw("}")
  }
}
