/// The title of a session at some time (`session_title`, `session_title_history[]`).
public struct SessionTitle: Codable, Hashable, Sendable {
  /// The title.
  public var title: String
  /// Since when it was the title, RFC 3339.
  public var timestamp: String
  /// The commit that was checked out then.
  public var commitHash: String?

  /// Creates a title.
  public init(title: String, timestamp: String, commitHash: String? = nil) {
    self.title = title
    self.timestamp = timestamp
    self.commitHash = commitHash
  }

  private enum CodingKeys: String, CodingKey {
    case title, timestamp
    case commitHash = "commit_hash"
  }
}
