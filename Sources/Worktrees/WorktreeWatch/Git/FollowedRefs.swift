import Git
import Workspaces

/// The refs besides the checked-out ones that the states of worktrees depend on: the stash, and the branches they follow.
enum FollowedRefs {
  /// The stash, which all worktrees of a repository share.
  static let stash = "refs/stash"

  /// The refs that a branch which is followed may mean, such as `origin/main`.
  static func refs(of upstream: String) -> [String] {
    ["refs/remotes/\(upstream)", "refs/heads/\(upstream)"]
  }

  /// The refs that came, went or moved.
  ///
  /// - Parameters:
  ///   - before: The objects of refs.
  ///   - now: The objects of refs; other ones may be followed than before.
  /// - Returns: The refs whose objects differ, those that only one of both has among them.
  static func moved(_ before: NameTable<String>, _ now: NameTable<String>) -> NameSet {
    NameSet((before.keys + now.keys).filter { before[$0] != now[$0] })
  }

  /// Whether the state of a worktree that follows a branch may be another after some refs moved.
  static func concern(_ upstream: String?, _ moved: NameSet) -> Bool {
    moved.contains(stash)
      || (upstream.map { refs(of: $0).contains(where: moved.contains) } ?? false)
  }
}
