/// The machine that a worktree is on (`machine`), on a server that shows the worktrees of several machines.
public struct WorkspaceMachine: Codable, Hashable, Sendable {
  /// Whether a machine reports to the server; an open set.
  public struct State: RawRepresentable, Codable, Hashable, Sendable {
    /// The value in JSON.
    public var rawValue: String

    /// Creates a state from its value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What is shown of it is known to be right.
    public static let live = State(rawValue: "live")
    /// It has not reported for a while, or what it reports is old.
    public static let unreachable = State(rawValue: "unreachable")
  }

  /// The name under which it reports.
  public var name: String
  /// Whether the server hears of it.
  public var state: State
  /// When what is shown of it was last known to be right, RFC 3339 by the server's clock; `nil` if it is live, or has
  /// not reported since the server started.
  public var unreachableSince: String?

  /// Creates a machine.
  public init(name: String, state: State, unreachableSince: String? = nil) {
    self.name = name
    self.state = state
    self.unreachableSince = unreachableSince
  }

  private enum CodingKeys: String, CodingKey {
    case name, state
    case unreachableSince = "unreachable_since"
  }
}

/// A machine that reports to a server, and how old its report is (`GET /v1/machines`).
public struct MachineStatus: Codable, Hashable, Sendable {
  /// The name under which it reports.
  public var name: String
  /// Whether the server hears of it.
  public var state: WorkspaceMachine.State
  /// When what is shown of it was last known to be right, RFC 3339 by the server's clock; `nil` if it is live, or has
  /// not reported since the server started.
  public var unreachableSince: String?
  /// Why it is unreachable, in words; `nil` if it is live.
  public var detail: String?
  /// How old what is shown of it is, in milliseconds; `nil` if it has not reported since the server started.
  public var age: Int64?
  /// The number of its worktrees that are shown.
  public var worktrees: Int
  /// The number of its worktrees that are not shown, because they are more than a report holds.
  public var omitted: Int

  /// Creates a status.
  public init(
    name: String,
    state: WorkspaceMachine.State,
    unreachableSince: String? = nil,
    detail: String? = nil,
    age: Int64? = nil,
    worktrees: Int = 0,
    omitted: Int = 0
  ) {
    self.name = name
    self.state = state
    self.unreachableSince = unreachableSince
    self.detail = detail
    self.age = age
    self.worktrees = worktrees
    self.omitted = omitted
  }

  private enum CodingKeys: String, CodingKey {
    case name, state, detail, worktrees, omitted
    case unreachableSince = "unreachable_since"
    case age = "age_ms"
  }
}
