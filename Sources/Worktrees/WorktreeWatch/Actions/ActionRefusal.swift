package import Workspaces

/// Why something is not done to a worktree.
package struct ActionRefusal: Error, Sendable {
  /// The code.
  package var problem: WorkspaceProblem
  /// What is wrong, in words.
  package var detail: String
  /// The paths it is about.
  package var files: [String]
  /// The processes it is about.
  package var processes: [LiveProcess]

  init(
    _ problem: WorkspaceProblem,
    _ detail: String,
    files: [String] = [],
    processes: [LiveProcess] = []
  ) {
    self.problem = problem
    self.detail = detail
    self.files = files
    self.processes = processes
  }
}

/// A merge or a sync that would end, or ended, in conflicts.
package struct ActionConflict: Error, Sendable {
  /// The report as it is answered.
  package var report: ConflictReport
}
