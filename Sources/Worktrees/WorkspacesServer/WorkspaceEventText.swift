import NIOCore
import Workspaces
import WorktreeWatch

/// Writes the server-sent events of `GET /v1/events`, see ``WorkspaceEventKind``.
struct WorkspaceEventText {
  /// How clients of another system expect members; `nil` writes them natively.
  let dialect: (any WorkspaceDialect)?
  /// When the server began, by the watch clock.
  let began: Double

  /// The client's revision is not known.
  func reset(_ registry: WorkspaceRegistry) -> ByteBuffer {
    event(.reset, payload: Array("{}".utf8), registry, at: nil)
  }

  /// All worktrees.
  func snapshot(_ registry: WorkspaceRegistry) -> ByteBuffer {
    var out = WorkspaceBytes(dialect)
    out.raw("{\"revision\":\"\(registry.generation)-\(registry.revision)\",\"worktrees\":")
    out.list(registry.all) { $0.workspace($1) }
    out.raw("}")
    return event(.snapshot, payload: out.bytes, registry, at: registry.revision)
  }

  /// The changes since a revision, in their order.
  func events(
    _ changes: WorkspaceRegistry.Changes,
    since: Int64,
    _ registry: WorkspaceRegistry
  ) -> ByteBuffer {
    var found: [(revision: Int64, buffer: ByteBuffer)] = []
    for removal in changes.removals {
      var out = WorkspaceBytes(dialect)
      out.raw("{\"worktree_id\":")
      out.text(removal.id)
      out.raw(",\"worktree_name\":")
      out.text(removal.name)
      out.raw("}")
      let buffer = event(.deleted, payload: out.bytes, registry, at: removal.revision)
      found.append((removal.revision, buffer))
    }
    for record in changes.records {
      found.append((record.revision, event(of: record, since: since, registry)))
    }
    var all = ByteBuffer()
    for (_, buffer) in found.sorted(by: { $0.revision < $1.revision }) {
      all.writeImmutableBuffer(buffer)
    }
    return all
  }

  private func event(
    of record: WorkspaceRegistry.Record,
    since: Int64,
    _ registry: WorkspaceRegistry
  ) -> ByteBuffer {
    var out = WorkspaceBytes(dialect)
    if record.created > since {
      out.raw("{\"worktree\":")
      out.workspace(record)
      out.raw("}")
      return event(.created, payload: out.bytes, registry, at: record.revision)
    }
    var all = ByteBuffer()
    let todos = record.members.first { $0.key == .todos }
    if let todos, todos.revision > since {
      out.raw("{\"worktree_id\":\"\(record.workspace.id)\",\"todos\":")
      if let value = todos.value { out.value(value, of: .todos) } else { out.raw("[]") }
      out.raw("}")
      all.writeImmutableBuffer(event(.todosUpdated, payload: out.bytes, registry, at: nil))
      out = WorkspaceBytes(dialect)
    }
    out.raw("{\"worktree_id\":\"\(record.workspace.id)\",\"updates\":")
    out.updates(record, since: since)
    out.raw("}")
    all.writeImmutableBuffer(event(.updated, payload: out.bytes, registry, at: record.revision))
    return all
  }

  /// A sign of life.
  func heartbeat(_ registry: WorkspaceRegistry) -> ByteBuffer {
    let uptime = Int64((WatchClock.monotonic - began) * 1_000)
    let payload = "{\"timestamp\":\(Int64(WatchClock.wall * 1_000)),\"uptime\":\(uptime)}"
    return event(.heartbeat, payload: Array(payload.utf8), registry, at: nil)
  }

  private func event(
    _ kind: WorkspaceEventKind,
    payload: [UInt8],
    _ registry: WorkspaceRegistry,
    at revision: Int64?
  ) -> ByteBuffer {
    var buffer = ByteBuffer()
    if let revision { buffer.writeString("id: \(registry.generation)-\(revision)\n") }
    buffer.writeString("data: {\"event\":{\"type\":\"\(kind.rawValue)\",\"payload\":")
    buffer.writeBytes(payload)
    let id = "\(registry.generation)-\(revision ?? registry.revision)"
    let time = Int64(WatchClock.wall * 1_000)
    buffer.writeString("},\"timestamp\":\(time),\"id\":\"\(id)\"}\n\n")
    return buffer
  }
}
