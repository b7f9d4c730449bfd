import Workspaces
import WorktreeWatch

/// Puts answers together from the members that the registry keeps as JSON.
struct WorkspaceBytes {
  /// The time of the clock that counts sleep.
  let elapsed: Double
  /// Seconds since 1970.
  let wall: Double
  /// The written bytes.
  private(set) var bytes: [UInt8] = []
  /// How clients of another system expect members; `nil` writes them natively.
  private let dialect: (any WorkspaceDialect)?

  /// Writes ages as of now.
  init(_ dialect: (any WorkspaceDialect)?) {
    self.dialect = dialect
    elapsed = WatchClock.elapsed
    wall = WatchClock.wall
  }

  /// Writes text as it is.
  mutating func raw(_ text: String) { bytes += text.utf8 }

  /// Writes JSON as it is.
  mutating func raw(_ json: [UInt8]) { bytes += json }

  /// Writes a text as JSON.
  mutating func text(_ text: String) { bytes += WorkspaceJSON.bytes(text) }

  /// Writes a worktree.
  mutating func workspace(_ record: WorkspaceRegistry.Record) {
    raw("{")
    for member in record.members {
      guard let value = member.value else { continue }
      raw("\"\(member.key.rawValue)\":")
      self.value(value, of: member.key)
      raw(",")
    }
    ages(record)
    raw("}")
  }

  /// Writes the value of a member.
  mutating func value(_ json: [UInt8], of key: Workspace.CodingKeys) {
    raw(dialect?.member(key, json) ?? json)
  }

  /// Writes the members of a worktree that changed since a revision; those that are gone are `null`.
  mutating func updates(_ record: WorkspaceRegistry.Record, since: Int64) {
    raw("{")
    for member in record.members where member.revision > since {
      raw("\"\(member.key.rawValue)\":")
      if let value = member.value { self.value(value, of: member.key) } else { raw("null") }
      raw(",")
    }
    ages(record)
    raw("}")
  }

  /// Writes values with commas between them.
  mutating func list<Value>(_ values: [Value], each write: (inout Self, Value) -> Void) {
    raw("[")
    for (index, value) in values.enumerated() {
      if index > 0 { raw(",") }
      write(&self, value)
    }
    raw("]")
  }

  private mutating func ages(_ record: WorkspaceRegistry.Record) {
    raw("\"\(Workspace.CodingKeys.gitAge.rawValue)\":")
    raw(record.askedAt.map { Self.seconds(elapsed - $0) } ?? "null")
    raw(",\"\(Workspace.CodingKeys.activityAge.rawValue)\":")
    raw(record.activitySince.map { Self.seconds(wall - $0) } ?? "null")
  }

  /// Seconds with three digits behind the point.
  static func seconds(_ value: Double) -> String {
    let milliseconds = Int64((min(max(value, 0), 1e12) * 1_000).rounded())
    let rest = String(milliseconds % 1_000)
    return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
