public import ConditionalHTTP
import Foundation
public import Freshness
public import FreshnessRuntime
public import HTTPTypes
public import Workspaces

/// What one worktree changed, kept fresh by the engine while somebody looks (`GET …/diff`).
public struct WorkspaceDiffResource: FreshResource {
  /// The server.
  public var server: HTTPAddress
  /// The worktree.
  public var id: String

  /// Names the diff of a worktree.
  public init(server: HTTPAddress, id: String) {
    self.server = server
    self.id = id
  }

  /// The constants: ``Policy/workspaceDetails``.
  public var policy: Policy? { .workspaceDetails }

  /// `GET /v1/git/worktrees/{id}/diff`.
  public func request(since known: WorkspaceDiff?) -> HTTPRequest {
    server.request(
      "/v1/git/worktrees/\(HTTPAddress.encoded(id))/diff",
      fields: [.accept: "application/json"]
    )
  }

  /// Reads a diff.
  public func read(
    _ answer: HTTPExchangeAnswer,
    since known: WorkspaceDiff?
  ) throws(UnreadableAnswer) -> Reading<WorkspaceDiff> {
    do {
      return Reading(try JSONDecoder().decode(WorkspaceDiff.self, from: Data(answer.body)))
    } catch {
      throw UnreadableAnswer("the diff cannot be read: \(error)")
    }
  }
}

/// The newest agent session of a worktree, kept fresh by the engine while somebody looks
/// (`GET /v1/sessions/workspace/{id}`).
public struct WorkspaceSessionResource: FreshResource {
  /// The server.
  public var server: HTTPAddress
  /// The worktree.
  public var id: String

  /// Names the session of a worktree.
  public init(server: HTTPAddress, id: String) {
    self.server = server
    self.id = id
  }

  /// The constants: ``Policy/workspaceDetails``.
  public var policy: Policy? { .workspaceDetails }

  /// `GET /v1/sessions/workspace/{id}`.
  public func request(since known: WorkspaceSession?) -> HTTPRequest {
    server.request(
      "/v1/sessions/workspace/\(HTTPAddress.encoded(id))",
      fields: [.accept: "application/json"]
    )
  }

  /// Reads a session.
  public func read(
    _ answer: HTTPExchangeAnswer,
    since known: WorkspaceSession?
  ) throws(UnreadableAnswer) -> Reading<WorkspaceSession> {
    do {
      return Reading(try JSONDecoder().decode(WorkspaceSession.self, from: Data(answer.body)))
    } catch {
      throw UnreadableAnswer("the session cannot be read: \(error)")
    }
  }
}

extension Policy {
  /// What is known of one worktree beyond the list: the list says when to ask again, so that every 30 s is enough.
  public static let workspaceDetails: Policy = {
    var policy = Policy.workspaces
    policy.active = .seconds(30)
    policy.recent = .seconds(30)
    policy.idle = .seconds(30)
    policy.background = nil
    policy.leastInterval = .seconds(1)
    // Longer than the server lets git take for a diff.
    policy.timeout = .seconds(35)
    return policy
  }()
}
