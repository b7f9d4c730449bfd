import ConditionalHTTP
import FreshResponses
import FreshnessServer
import HTTPTypes

/// One resource as one request reads it.
///
/// A body that had to be made to know its tag is sent, not made again.
actor WorkspaceReading: ServedResource {
  private let resource: WorkspaceResource
  private let reader: WorkspaceReader
  private var made: Representation?

  /// Creates a reading.
  init(_ resource: WorkspaceResource, _ reader: WorkspaceReader) {
    self.resource = resource
    self.reader = reader
  }

  /// The state; makes the body only if nothing else can tell.
  ///
  /// - Throws: ``Problem`` 404; failures of git.
  func state() async throws -> RepresentationState? {
    made = nil
    if let tag = await reader.tag(resource) { return RepresentationState(entityTag: tag) }
    let made = try await make()
    self.made = made
    return made.state
  }

  /// The body with its state.
  ///
  /// - Throws: ``Problem`` 404; failures of git.
  func representation() async throws -> Representation? {
    if let made { return made }
    return try await make()
  }

  nonisolated func updates() -> AsyncStream<Void> { reader.ticks(resource) }

  private func make() async throws -> Representation {
    let (bytes, tag) = try await ReadEndpoints.failing { try await reader.body(resource) }
    return Representation(state: RepresentationState(entityTag: tag), body: bytes)
  }
}

extension WorkspaceResource {
  /// The route, for metrics.
  var route: String {
    switch self {
    case .list, .delta: "/v1/git/worktrees"
    case .item: "/v1/git/worktrees/:id"
    case .session: "/v1/sessions/workspace/:id"
    case .diff: "/v1/git/worktrees/:id/diff"
    }
  }
}

/// The fields of a request on which the answers of worktrees depend.
enum WorkspaceFields {
  /// The client and its network.
  static let vary = [HTTPField.Name.authorization, HTTPField.Name("X-Codespace-Name")]
    .compactMap { $0 }

  /// The same as the value of `Vary`.
  static let varyText = vary.map(\.rawName).joined(separator: ", ")
}

extension ServingLimits {
  /// What worktrees give to their clients.
  static let workspaces: ServingLimits = {
    var limits = ServingLimits()
    limits.waiters = WorkspaceLimits.waiters
    limits.longestWait = WorkspaceLimits.longestWait
    limits.heartbeatSeconds = WorkspaceLimits.heartbeat
    limits.streamRetryMilliseconds = WorkspaceLimits.streamRetry
    limits.retryAfterSeconds = WorkspaceLimits.retryAfter
    return limits
  }()
}
