import ConditionalHTTP
import HTTPTypes

/// A client's copy, and how long it wants to wait for a change.
struct WorkspaceConditions: Sendable {
  private let known: EntityTagList?
  private let since: String?
  private let mayWait: Int64?

  /// Reads the conditions of a request.
  ///
  /// - Parameters:
  ///   - fields: The fields of the request.
  ///   - since: The revision that the request asks from, which is as good as a tag for waiting.
  init(_ fields: HTTPFields, since: String? = nil) {
    known = fields[.ifNoneMatch].map { EntityTagList(parsing: $0) }
    self.since = since
    mayWait = Prefer(fields: fields).wait.map { min(max($0, 0), WorkspaceLimits.longestWait) }
  }

  /// Reads the conditions of a part of a batch.
  init(ifNoneMatch: String?) {
    known = ifNoneMatch.map { EntityTagList(parsing: $0) }
    since = nil
    mayWait = nil
  }

  /// How long the answer may be held back until something changes, in seconds (RFC 7240).
  var wait: Int64? {
    guard let mayWait, mayWait > 0, known != nil || since != nil else { return nil }
    return mayWait
  }

  /// Whether the client has the state with a tag, by weak comparison; tags without quotes are taken too, as
  /// the seed system sends them.
  func names(_ tag: EntityTag) -> Bool {
    guard let known else { return false }
    if known.weaklyContains(tag) { return true }
    guard case .tags(let tags) = known else { return false }
    return tags.contains { !$0.isQuoted && $0.opaque == tag.opaque }
  }

  /// Whether there is nothing new for the client.
  func isCurrent(_ tag: EntityTag) -> Bool { names(tag) || since == tag.opaque }
}
