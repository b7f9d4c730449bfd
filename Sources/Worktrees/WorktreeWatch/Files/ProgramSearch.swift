import Glibc

/// Finds a program as `execvp(3)` does, without starting anything, and only in folders with an absolute path: a
/// relative one would lead into the worktree that git runs in.
enum ProgramSearch {
  /// Looks for a program.
  ///
  /// - Parameters:
  ///   - name: Its name, without a slash.
  ///   - folders: The folders, as in `PATH`.
  /// - Returns: The path of the first one that is a file and may be executed.
  static func find(_ name: String, in folders: String?) -> String? {
    absolute(folders).lazy.map { HostFile.join($0, name) }
      .first { HostFile.kind($0) == .file && access($0, X_OK) == 0 }
  }

  /// The folders of a `PATH` that are absolute.
  static func absolute(_ folders: String?) -> [String] {
    (folders ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map(String.init)
      .filter { $0.hasPrefix("/") }
  }
}
