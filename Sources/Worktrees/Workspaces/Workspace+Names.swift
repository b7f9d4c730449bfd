extension Workspace {
  /// Whether two worktrees have the same names byte by byte, which `==` does not tell.
  package func hasSameNames(as other: Workspace) -> Bool {
    names.elementsEqual(other.names) { $0.isSameName(as: $1) }
  }

  private var names: [String] {
    [
      id, path, name, repoId, branch, sourceBranch, git.branch ?? "", git.upstream ?? "",
      git.compared ?? "",
    ] + git.conflicts
  }
}
