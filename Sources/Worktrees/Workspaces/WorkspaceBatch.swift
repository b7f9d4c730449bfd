/// Several resources asked for at once (`POST /v1/batch`).
public struct WorkspaceBatch: Codable, Hashable, Sendable {
  /// One resource.
  public struct Request: Codable, Hashable, Sendable {
    /// Its path with the query, such as `/v1/git/worktrees`.
    public var path: String
    /// The value of If-None-Match.
    public var ifNoneMatch: String?

    /// Creates a request.
    public init(path: String, ifNoneMatch: String? = nil) {
      self.path = path
      self.ifNoneMatch = ifNoneMatch
    }

    private enum CodingKeys: String, CodingKey {
      case path
      case ifNoneMatch = "if_none_match"
    }
  }

  /// The resources, at most 32.
  public var requests: [Request]

  /// Creates a batch.
  public init(requests: [Request]) { self.requests = requests }
}
