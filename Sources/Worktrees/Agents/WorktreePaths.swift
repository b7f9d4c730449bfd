import Workspaces

/// The paths of worktrees, to find the one a directory is in; compared by their bytes.
struct WorktreePaths: Hashable, Sendable {
  /// The paths in order, without a slash at the end.
  let all: [String]

  private let set: NameSet

  /// Some paths.
  init(_ paths: [String]) {
    set = NameSet(
      paths.map { path in
        path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/")
          ? String(decoding: path.utf8.dropLast(), as: UTF8.self) : path
      }
    )
    all = set.sorted()
  }

  /// Whether a path is one of them.
  func contains(_ path: String) -> Bool { set.contains(path) }

  /// The innermost worktree that a directory is, or is in; `nil` if it is in none.
  func containing(_ directory: String) -> String? {
    var rest = directory
    while !rest.isEmpty {
      if set.contains(rest) { return rest }
      rest = rest.parentPath
    }
    return directory.utf8.first == UInt8(ascii: "/") && set.contains("/") ? "/" : nil
  }
}
