package import Workspaces

/// Why something is not done to a worktree.
package struct ActionRefusal: Error, Sendable {
  /// The code.
  package var problem: WorkspaceProblem
  /// What is wrong, in words.
  package var detail: String
  /// The paths it is about.
  package var files: [String]

  init(_ problem: WorkspaceProblem, _ detail: String, files: [String] = []) {
    self.problem = problem
    self.detail = detail
    self.files = files
  }
}

/// A merge or a sync that would end, or ended, in conflicts.
package struct ActionConflict: Error, Sendable {
  /// The report as it is answered.
  package var report: ConflictReport
}
