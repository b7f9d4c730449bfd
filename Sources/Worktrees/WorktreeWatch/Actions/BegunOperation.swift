import Git

/// An operation that an action is about to start in a worktree, so that only that one is undone if
/// it fails.
struct BegunOperation: Sendable {
  /// The kinds, each with what identifies this operation.
  enum Kind: Sendable {
    /// A rebase of the commit that was checked out, onto another.
    case rebase(onto: String, head: String)
    /// A merge of a commit.
    case merge(String)
    /// A merge that only fills the index.
    case squash
  }

  private let kind: Kind
  private let directory: String
  private let message: [Int]?
  /// The tree that a merge makes if it has no conflict.
  let result: String?

  /// Remembers the state directly before the act.
  ///
  /// - Parameters:
  ///   - kind: The kind of operation.
  ///   - directory: The git directory of the worktree.
  ///   - result: The tree that a merge makes if it has no conflict; `nil` for a rebase.
  init(_ kind: Kind, in directory: String, result: String? = nil) {
    self.kind = kind
    self.result = result
    self.directory = directory
    message = HostFile.stamp(HostFile.join(directory, "SQUASH_MSG"))
  }

  /// The operation in progress in the worktree, regardless of who started it.
  var found: GitOperation? { WorktreeScan.operation(directory) }

  /// Whether the operation in progress in the worktree is this one.
  var isThere: Bool {
    switch kind {
    case .rebase(let onto, let head):
      ["rebase-merge", "rebase-apply"].contains {
        content("\($0)/onto") == onto && content("\($0)/orig-head") == head
      }
    case .merge(let other):
      content("MERGE_HEAD") == other && found?.kind == .merge
    case .squash:
      found == nil
        && HostFile.stamp(HostFile.join(directory, "SQUASH_MSG")).map { $0 != message }
          ?? false
    }
  }

  /// Whether a rebase is in progress of which git had no room or no time to write down what it is.
  var isIncomplete: Bool {
    guard isRebase, let found, found.kind == .rebase else { return false }
    return !["rebase-merge", "rebase-apply"].contains {
      content("\($0)/onto") != nil && content("\($0)/orig-head") != nil
    }
  }

  /// Whether it is a rebase.
  var isRebase: Bool {
    if case .rebase = kind { true } else { false }
  }

  /// What undoes it.
  var undo: [String] {
    switch kind {
    case .rebase: ["rebase", "--abort"]
    case .merge: ["merge", "--abort"]
    // Without a commit: one that was made meanwhile stays.
    case .squash: ["reset", "--quiet", "--merge"]
    }
  }

  private func content(_ name: String) -> String? {
    HostFile.text(HostFile.join(directory, name))?.split(whereSeparator: \.isWhitespace)
      .first.map(String.init)
  }
}
