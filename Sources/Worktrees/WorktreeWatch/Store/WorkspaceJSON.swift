import Foundation
import Workspaces

/// Writes worktrees as JSON.
package enum WorkspaceJSON {
  /// A value as JSON, its members in alphabetical order.
  ///
  /// The contract's types hold nothing that JSON does not have.
  package static func bytes(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return Array("null".utf8) }
    return Array(data)
  }

  /// The members of a worktree that do not age, in the order of an answer.
  static func members(_ it: Workspace) -> [(key: Workspace.CodingKeys, value: [UInt8]?)] {
    Workspace.CodingKeys.allCases.compactMap { key in
      switch key {
      case .gitAge, .activityAge: nil
      default: (key, value(key, of: it))
      }
    }
  }

  private static func value(_ key: Workspace.CodingKeys, of it: Workspace) -> [UInt8]? {
    switch key {
    case .id: bytes(it.id)
    case .repoId: bytes(it.repoId)
    case .name: bytes(it.name)
    case .path: bytes(it.path)
    case .branch: bytes(it.branch)
    case .sourceBranch: bytes(it.sourceBranch)
    case .hasBeenRenamed: bytes(it.hasBeenRenamed)
    case .commitHash: bytes(it.commitHash)
    case .commitCount: bytes(it.commitCount)
    case .commitsBehind: bytes(it.commitsBehind)
    case .isDirty: bytes(it.isDirty)
    case .hasConflicts: bytes(it.hasConflicts)
    case .createdAt: bytes(it.createdAt)
    case .lastAccessed: bytes(it.lastAccessed)
    case .sessionTitle: it.sessionTitle.map { bytes($0) }
    case .sessionTitleHistory: bytes(it.sessionTitleHistory)
    case .hasActiveClaudeSession: bytes(it.hasActiveClaudeSession)
    case .claudeActivityState: bytes(it.claudeActivityState)
    case .hasCommitsAheadOfRemote: bytes(it.hasCommitsAheadOfRemote)
    case .todos: bytes(it.todos)
    case .latestUserPrompt: it.latestUserPrompt.map { bytes($0) }
    case .latestSessionTitle: it.latestSessionTitle.map { bytes($0) }
    case .latestClaudeMessage: it.latestClaudeMessage.map { bytes($0) }
    case .latestClaudeMessageType: it.latestClaudeMessageType.map { bytes($0) }
    case .cacheStatus: bytes(it.cacheStatus)
    case .git: bytes(it.git)
    case .activity: bytes(it.activity)
    case .isMain: bytes(it.isMain)
    case .machine: it.machine.map { bytes($0) }
    case .revision: bytes(it.revision)
    case .gitAge, .activityAge: nil
    }
  }
}
