/// The meaning of a refusal: its HTTP status, and the parameters that override it (`GET /v1/git/refusals`).
///
/// The server enforces this table, and clients use it to offer the user the overrides.
public struct WorkspaceRefusal: Codable, Hashable, Sendable {
  /// An action on a worktree.
  public enum Operation: String, Codable, Hashable, Sendable, CaseIterable {
    /// Moves it to the trash.
    case delete
    /// Merges its branch into the source.
    case merge
    /// Merges the source into it, or rebases it onto the source.
    case sync
    /// Undoes an action.
    case restore
  }

  /// A parameter that overrides a refusal.
  public enum Override: String, Codable, Hashable, Sendable, CaseIterable {
    /// `force=1`.
    case force
    /// `ignored=1`: ignored files may be lost.
    case ignored
    /// `processes`: the numbers of the processes that the refusal names.
    case processes
    /// `rewrite_pushed`: commits that a remote has may be rewritten.
    case rewritePushed = "rewrite_pushed"
  }

  /// The code of the problem.
  public var code: String
  /// The HTTP status.
  public var status: Int
  /// The overrides, by operation; any one of them is sufficient.
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

  /// All refusals, in the order of ``WorkspaceProblem``.
  public static var all: [WorkspaceRefusal] { WorkspaceProblem.allCases.map { Self($0) } }
}

extension WorkspaceProblem {
  /// The HTTP status of the problem.
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
      .configurationChanged, .outsideWatchedFolders, .otherMachine, .alreadyExists:
      409
    }
  }

  /// Returns the parameters with which a request overrides the refusal of an operation; empty if nothing does.
  ///
  /// For ``agentActive`` at a delete, `processes` ignores the given processes, and `force` ignores agents without a
  /// process.
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
