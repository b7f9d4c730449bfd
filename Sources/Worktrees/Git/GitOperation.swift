/// An operation in progress in a worktree, from the files in its git directory.
public struct GitOperation: Hashable, Sendable {
  /// The kinds, by the words people use.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// `git merge`
    case merge
    /// `git rebase`
    case rebase
    /// `git am`
    case apply
    /// `git cherry-pick`
    case cherryPick = "cherry-pick"
    /// `git revert`
    case revert
    /// `git bisect`
    case bisect
  }

  /// Which it is.
  public var kind: Kind
  /// The current step, from 1.
  public var step: Int?
  /// How many steps there are.
  public var steps: Int?
  /// The short name of the branch that is being moved.
  public var branch: String?

  /// Creates an operation.
  public init(kind: Kind, step: Int? = nil, steps: Int? = nil, branch: String? = nil) {
    self.kind = kind
    self.step = step
    self.steps = steps
    self.branch = branch
  }

  /// Finds the operation.
  ///
  /// A paused rebase also has CHERRY_PICK_HEAD, so the outer operation is checked first
  /// (gitrepository-layout(5), and the files that git's own prompt reads).
  ///
  /// - Parameters:
  ///   - exists: Whether a file or folder exists at a path within the git directory of the worktree.
  ///   - content: Reads such a file as text.
  /// - Returns: The operation; `nil` without one.
  public static func find(
    exists: (String) -> Bool,
    content: (String) -> String?
  ) -> GitOperation? {
    func number(_ path: String) -> Int? {
      content(path).flatMap { Array($0.utf8).prefix { $0 > 0x20 }.number }
    }
    func branch(_ path: String) -> String? {
      guard var name = content(path)?.prefix(while: { !$0.isNewline }) else { return nil }
      if name.hasPrefix("refs/heads/") { name = name.dropFirst("refs/heads/".count) }
      return name.isEmpty || name == "detached HEAD" ? nil : String(name)
    }
    if exists("rebase-merge") {
      return GitOperation(
        kind: .rebase,
        step: number("rebase-merge/msgnum"),
        steps: number("rebase-merge/end"),
        branch: branch("rebase-merge/head-name")
      )
    }
    if exists("rebase-apply") {
      let isMail = exists("rebase-apply/applying")
      return GitOperation(
        kind: isMail ? .apply : .rebase,
        step: number("rebase-apply/next"),
        steps: number("rebase-apply/last"),
        branch: branch("rebase-apply/head-name")
      )
    }
    if exists("MERGE_HEAD") { return GitOperation(kind: .merge) }
    if exists("CHERRY_PICK_HEAD") { return GitOperation(kind: .cherryPick) }
    if exists("REVERT_HEAD") { return GitOperation(kind: .revert) }
    // Between two commits of a sequence neither head exists.
    if let todo = content("sequencer/todo") {
      let first = todo.split(separator: "\n").first { !$0.hasPrefix("#") } ?? ""
      if first.hasPrefix("pick ") || first.hasPrefix("p ") {
        return GitOperation(kind: .cherryPick)
      }
      if first.hasPrefix("revert ") { return GitOperation(kind: .revert) }
    }
    if exists("BISECT_LOG") {
      return GitOperation(kind: .bisect, branch: branch("BISECT_START"))
    }
    return nil
  }
}
