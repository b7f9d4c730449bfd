/// What a refusal means: the status it is answered with, and what a request may say so that it is no reason
/// (`GET /v1/git/refusals`).
///
/// The one table of them: the server answers and acts by it, and clients offer by it what a person may pass over.
public struct WorkspaceRefusal: Codable, Hashable, Sendable {
  /// What is done to a worktree.
  public enum Operation: String, Codable, Hashable, Sendable, CaseIterable {
    /// It goes to the trash.
    case delete
    /// Its branch is merged into the source.
    case merge
    /// It takes the source in.
    case sync
    /// Something is taken back.
    case restore
  }

  /// What a request says to have it done all the same.
  public enum Override: String, Codable, Hashable, Sendable, CaseIterable {
    /// `force=1`.
    case force
    /// `ignored=1`: what git ignores may go.
    case ignored
    /// `processes`: the numbers of the processes that the refusal names.
    case processes
    /// `rewrite_pushed`: commits that a remote has may be made again.
    case rewritePushed = "rewrite_pushed"
  }

  /// The code of the problem.
  public var code: String
  /// The status of the answer.
  public var status: Int
  /// What passes over it, by operation; any one of those of an operation does.
  public var overrides: [String: [Override]]

  /// The entry of a problem.
  public init(_ problem: WorkspaceProblem) {
    code = problem.rawValue
    status = problem.status
    var overrides: [String: [Override]] = [:]
    for operation in Operation.allCases {
      let list = problem.overrides(of: operation)
      if !list.isEmpty { overrides[operation.rawValue] = list }
    }
    self.overrides = overrides
  }

  /// All of them, in the order of ``WorkspaceProblem``.
  public static var all: [WorkspaceRefusal] { WorkspaceProblem.allCases.map { Self($0) } }
}

extension WorkspaceProblem {
  /// The status of its answer.
  public var status: Int {
    switch self {
    case .invalidHost, .invalidParameter, .invalidBody: 400
    case .unauthorized: 401
    case .originForbidden: 403
    case .worktreeNotFound, .sessionNotFound, .repositoryNotFound, .restorePointNotFound: 404
    case .hostForbidden: 421
    case .gitFailed: 502
    case .busy: 503
    case .gitTimeout: 504
    case .notKept: 507
    case .mergeConflict, .worktreeDirty, .ignoredFiles, .nestedRepository, .nestedWorktree,
      .wouldOverwrite, .worktreeUnmerged, .mountedFolder, .mergeCommits, .pushedCommits,
      .agentActive, .mainWorktree, .worktreeLocked, .operationInProgress, .untrustedRepository,
      .configurationChanged, .outsideWatchedFolders, .alreadyExists:
      409
    }
  }

  /// What a request may say so that it is no reason to refuse an operation; nothing if nothing helps.
  ///
  /// Of ``agentActive`` at a delete, `processes` passes over those that are named, and `force` over agents that have no
  /// process any more.
  public func overrides(
    of operation: WorkspaceRefusal.Operation
  ) -> [WorkspaceRefusal.Override] {
    switch (self, operation) {
    case (.agentActive, .delete): [.processes, .force]
    case (.agentActive, .merge), (.agentActive, .sync), (.agentActive, .restore): [.processes]
    case (.ignoredFiles, .delete): [.ignored, .force]
    case (.worktreeDirty, .delete), (.worktreeUnmerged, .delete), (.nestedRepository, .delete):
      [.force]
    case (.pushedCommits, .sync): [.rewritePushed]
    default: []
    }
  }
}
