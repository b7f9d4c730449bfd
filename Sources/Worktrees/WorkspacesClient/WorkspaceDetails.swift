public import ConditionalHTTP
public import Freshness
public import FreshnessRuntime
public import HTTPTypes
public import TolerantDecoding
public import Workspaces

/// Details of one worktree beyond the list: a session, or a diff.
public protocol WorkspaceDetail: Equatable, Sendable {
  /// What of the answer could not be read.
  var issues: [DecodeIssue] { get }

  /// Reads an answer.
  ///
  /// - Parameter answer: The body.
  /// - Throws: `DecodeFailure` if nothing can be made of it.
  init(answer: [UInt8]) throws(DecodeFailure)
}

extension WorkspaceDetail {
  /// What of the answer could not be read, in one line; `nil` if nothing was lost.
  public var losses: String? { issues.lossSummary }
}

extension WorkspaceSession: WorkspaceDetail {
  /// Reads an answer; what cannot be read costs its member, and is noted in ``Workspaces/WorkspaceSession/issues``.
  public init(answer: [UInt8]) throws(DecodeFailure) {
    let decoded = try WorkspaceAnswerReader().session(answer)
    self = decoded.model
    issues = decoded.issues.filter { $0.severity == .loss }
  }
}

extension WorkspaceDiff: WorkspaceDetail {
  /// Reads an answer; what cannot be read costs its member or file, and is noted in ``Workspaces/WorkspaceDiff/issues``.
  public init(answer: [UInt8]) throws(DecodeFailure) {
    let decoded = try WorkspaceAnswerReader().diff(answer)
    guard let diff = decoded.model else { throw DecodeFailure(decoded.issues) }
    self = diff
    issues = decoded.issues.filter { $0.severity == .loss }
  }
}

/// Details of one worktree beyond the list, kept fresh by the engine while observed: its diff, or its newest agent
/// session.
public struct WorkspaceDetailResource<Detail: WorkspaceDetail>: FreshResource {
  /// The server.
  public let server: HTTPAddress
  /// The path of the request.
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
    do throws(DecodeFailure) {
      return Reading(try Detail(answer: answer.body))
    } catch {
      throw UnreadableAnswer("what \(path) answers cannot be read: \(error)")
    }
  }
}

extension Policy {
  /// The policy for details of one worktree: the list says when to ask again, so that every 30 s is sufficient.
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
