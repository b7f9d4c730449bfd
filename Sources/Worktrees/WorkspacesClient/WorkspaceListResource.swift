public import ConditionalHTTP
public import EventFeed
import Foundation
public import Freshness
public import FreshnessRuntime
public import HTTPTypes
import TolerantDecoding
import Workspaces

/// All worktrees of a server, kept fresh by the engine: one resource for any number of views.
///
/// Requests the changes since the current copy; where the policy allows a stream, events bring the changes.
///
/// ```swift
/// let client = FreshnessClient(exchange: exchange, streaming: exchange, policy: .workspacesLive)
/// let resource = WorkspaceListResource(server: try HTTPAddress("http://127.0.0.1:8080"))
/// for await snapshot in client.snapshots(of: resource) { show(snapshot.value?.worktrees) }
/// ```
///
/// A token goes with `client.identify(by: [.authorization: "Bearer …"])`.
public struct WorkspaceListResource: FreshResource {
  /// The server.
  public var server: HTTPAddress
  /// The constants.
  public var constants: Policy
  /// Whether the server's stream brings changes where the policy allows one.
  public var streams: Bool

  /// Names the list of a server.
  public init(
    server: HTTPAddress,
    constants: Policy = .workspacesLive,
    streams: Bool = true
  ) {
    self.server = server
    self.constants = constants
    self.streams = streams
  }

  /// The constants.
  public var policy: Policy? { constants }

  /// `GET /v1/git/worktrees?since=…`.
  public func request(since known: WorkspaceList?) -> HTTPRequest {
    // Without a revision, and with one that is no longer known, everything comes.
    server.request(
      "/v1/git/worktrees",
      query: [("since", known?.revision ?? "0")],
      fields: [.accept: "application/json"]
    )
  }

  /// Reads what changed.
  public func read(
    _ answer: HTTPExchangeAnswer,
    since known: WorkspaceList?
  ) throws(UnreadableAnswer) -> Reading<WorkspaceList> {
    let decoded: Decoded<WorkspaceDelta?>
    do {
      decoded = try WorkspaceAnswerReader().delta(answer.body)
    } catch {
      throw UnreadableAnswer("the worktrees of \(server) cannot be read: \(error)")
    }
    guard let delta = decoded.model else {
      throw UnreadableAnswer("the worktrees of \(server) are neither a list nor changes")
    }
    guard var list = WorkspaceList.applying(delta, to: known) else {
      throw UnreadableAnswer("the worktrees of \(server) are a difference from nothing")
    }
    list.issues = decoded.issues.filter { $0.severity == .loss }
    return reading(list)
  }

  /// `GET /v1/events`.
  public func eventStream() -> HTTPRequest? {
    streams ? server.request("/v1/events", fields: [.accept: "text/event-stream"]) : nil
  }

  /// The stream continues after `Last-Event-ID`, or starts with a snapshot.
  public var replaysEvents: Bool { true }

  /// Reads a snapshot or a change of it.
  public func read(
    _ event: ServerSentEvent,
    since known: WorkspaceList?
  ) -> StreamEvent<WorkspaceList> {
    switch WorkspaceList.effect(of: event.data, id: event.id, on: known) {
    case .none: .sign
    case .unknown: .gap
    case .list(let list): .delivered(reading(list))
    }
  }

  private func reading(_ list: WorkspaceList) -> Reading<WorkspaceList> {
    Reading(
      list,
      hasRealtime: true,
      canBeReferredTo: true,
      activity: list.isActive ? .active : .quiet
    )
  }
}

extension Policy {
  /// Workspaces (``workspaces``), with the server's stream as an upgrade.
  public static let workspacesLive: Policy = {
    var policy = Policy.workspaces
    policy.push = Policy.Push(heartbeat: .seconds(15))
    return policy
  }()
}
