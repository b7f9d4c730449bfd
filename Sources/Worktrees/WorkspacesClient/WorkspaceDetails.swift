public import ConditionalHTTP
import Foundation
public import Freshness
public import FreshnessRuntime
public import HTTPTypes

/// What is known of one worktree beyond the list, kept fresh by the engine while somebody looks: its diff, or the newest
/// agent session in it.
public struct WorkspaceDetailResource<Detail: Decodable & Equatable & Sendable>: FreshResource {
  /// The server.
  public let server: HTTPAddress
  /// What is asked for.
  let path: String

  /// The constants: ``Policy/workspaceDetails``.
  public var policy: Policy? { .workspaceDetails }

  /// `GET` of the detail.
  public func request(since known: Detail?) -> HTTPRequest {
    server.request(path, fields: [.accept: "application/json"])
  }

  /// Reads an answer.
  public func read(
    _ answer: HTTPExchangeAnswer,
    since known: Detail?
  ) throws(UnreadableAnswer) -> Reading<Detail> {
    do {
      return Reading(try JSONDecoder().decode(Detail.self, from: Data(answer.body)))
    } catch {
      throw UnreadableAnswer("what \(path) answers cannot be read: \(error)")
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
