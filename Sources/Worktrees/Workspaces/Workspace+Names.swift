extension Workspace {
  /// Whether two worktrees have the same names byte by byte, which `==` does not show.
  package func hasSameNames(as other: Workspace) -> Bool {
    names.elementsEqual(other.names) { $0.isSameName(as: $1) }
  }

  /// The order of lists: by path, then by id.
  package func isBefore(_ other: Workspace) -> Bool {
    path.isSameName(as: other.path)
      ? id.isNameBefore(other.id) : path.isNameBefore(other.path)
  }

  private var names: [String] {
    [
      id, path, name, repoId, branch, sourceBranch, git.branch ?? "", git.upstream ?? "",
      git.compared ?? "", machine?.name ?? "",
    ] + git.conflicts
  }
}
