/// The paths of worktrees, to find the one a directory is in.
struct WorktreePaths: Hashable, Sendable {
  /// The paths in order, without a slash at the end.
  let all: [String]

  private let set: Set<String>

  /// Some paths.
  init(_ paths: [String]) {
    set = Set(paths.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
    all = set.sorted()
  }

  /// Whether a path is one of them.
  func contains(_ path: String) -> Bool { set.contains(path) }

  /// The innermost worktree that a directory is, or is in; `nil` if it is in none.
  func containing(_ directory: String) -> String? {
    var rest = Substring(directory)
    while !rest.isEmpty {
      if set.contains(String(rest)) { return String(rest) }
      guard let slash = rest.lastIndex(of: "/") else { return nil }
      rest = rest[..<slash]
    }
    return set.contains("/") ? "/" : nil
  }
}
