import Git

/// A HEAD that is a symbolic ref to something else than a branch, such as `refs/catnip/NAME`.
enum SymbolicHead {
  /// What `git status` calls the branch of such a HEAD.
  static let unnamed = "(null)"

  private static let heads = "refs/heads/"

  /// The ref that a HEAD is a symbolic ref to, if that is not a branch.
  ///
  /// - Parameter text: The content of the file HEAD.
  /// - Returns: The full name of the ref; `nil` for a branch, and for a detached HEAD.
  static func ref(_ text: String) -> String? {
    guard text.hasPrefix("ref:") else { return nil }
    let name = String(text.dropFirst(4).drop { $0 == " " || $0 == "\t" })
    return name.hasPrefix("refs/") && !name.hasPrefix(heads) ? name : nil
  }

  /// The name of the branch that is checked out, where git has none for it.
  ///
  /// - Parameters:
  ///   - branch: What `git status` calls it.
  ///   - directory: The git directory of the worktree.
  /// - Returns: The full name of the ref that HEAD leads to, if that is not a branch; else what it is called.
  static func name(_ branch: String?, in directory: String) -> String? {
    guard branch == unnamed, let text = HostFile.text(HostFile.join(directory, "HEAD")) else {
      return branch
    }
    return ref(text) ?? branch
  }

  /// The folders of refs outside of branches that the HEADs of worktrees lead to.
  static func folders(of refs: some Sequence<String>) -> Set<String> {
    Set(
      refs.compactMap { ref in
        guard ref.hasPrefix("refs/"), !ref.hasPrefix(heads), let slash = ref.lastIndex(of: "/")
        else { return nil }
        let folder = String(ref[..<slash])
        return folder == "refs" ? nil : folder
      }
    )
  }
}

extension RepositoryScan {
  /// The folders of refs outside of branches that the HEADs of its worktrees lead to.
  var symbolicHeads: Set<String> { SymbolicHead.folders(of: members.compactMap(\.entry.branch)) }
}
