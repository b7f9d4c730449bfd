/// One entry of an agent's list of things to do (`todos[]`).
public struct Todo: Codable, Hashable, Sendable, Identifiable {
  /// How far an entry is; an open set, as agents invent words.
  public struct Status: RawRepresentable, Codable, Hashable, Sendable {
    /// The word in the answer.
    public var rawValue: String

    /// Creates a status from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not started.
    public static let pending = Status(rawValue: "pending")
    /// In progress.
    public static let inProgress = Status(rawValue: "in_progress")
    /// It is done.
    public static let completed = Status(rawValue: "completed")
    /// It was given up.
    public static let cancelled = Status(rawValue: "cancelled")
  }

  /// Identifies the entry while it is in the list.
  public var id: String
  /// The step, as text.
  public var content: String
  /// How far it is.
  public var status: Status
  /// `high`, `medium` or `low`; empty if the agent does not say.
  public var priority: String

  /// Creates an entry.
  public init(id: String, content: String, status: Status, priority: String = "") {
    self.id = id
    self.content = content
    self.status = status
    self.priority = priority
  }

  /// Reads an entry; missing members become empty, a missing status `pending`.
  public init(from decoder: any Decoder) throws {
    self = try TolerantValue.read(from: decoder) { Todo($0) }
  }
}
