import ConditionalHTTP
import Git
import Glibc
import Workspaces

/// The hooks of a repository (githooks(5)): programs that git runs because they exist.
enum HookFiles {
  /// The hooks found.
  struct Found {
    /// The hooks, ordered by name.
    var programs: [ConfiguredProgram] = []
    /// Whether they are content of a worktree, so that a checkout or a merge would change what runs.
    ///
    /// The server never runs those, even if trusted.
    var areContent = false
  }

  /// Searches for them.
  ///
  /// Of a folder for hooks outside of the repository, which the person chose for all, nothing is the repository's.
  ///
  /// - Parameters:
  ///   - settings: The configuration as git sees it from the worktree.
  ///   - worktree: The worktree, or a repository without one.
  ///   - common: The common directory.
  ///   - isOwn: Whether an entry is the repository's own.
  /// - Returns: The hooks of the repository.
  static func find(
    _ settings: GitSettings,
    in worktree: String,
    _ common: String,
    isOwn: (GitSettings.Entry) -> Bool
  ) -> Found {
    let key = Array("core.hookspath".utf8)
    let entry = settings.entries.last { $0.key == key && $0.scope != .command }
    var folder = HostFile.join(common, "hooks")
    if let entry, let value = entry.value, !value.isEmpty {
      let text = String(decoding: value, as: UTF8.self)
      guard let path = path(text, in: worktree) else { return Found() }
      let isRelative = value.first != UInt8(ascii: "/") && value.first != UInt8(ascii: "~")
      let isInside = [worktree, common.parentPath].contains { HostFile.isWithin(path, $0) }
      if isRelative || isInside && !HostFile.isWithin(path, common) {
        return Found(areContent: true)
      }
      folder = path
      guard isOwn(entry) || HostFile.isWithin(folder, common) else { return Found() }
    }
    return Found(programs: programs(in: folder))
  }

  private static func programs(in folder: String) -> [ConfiguredProgram] {
    HostFile.names(in: folder, most: WatchLimits.hooks).filter { !$0.contains(".") }
      .compactMap { name in
        let path = HostFile.join(folder, name)
        guard HostFile.kind(path) == .file, access(path, X_OK) == 0 else { return nil }
        return ConfiguredProgram(
          key: Array("hook \(name)".utf8),
          command: Array(path.utf8),
          file: path,
          use: .action,
          content: content(path)
        )
      }
  }

  /// Identifies a hook by its content.
  private static func content(_ path: String) -> [UInt8] {
    if let bytes = HostFile.bytes(path, limit: WatchLimits.hookBytes) { return SHA256.hash(bytes) }
    // A program that is too long to be read is identified by its file.
    return Array("\(HostFile.identity(path) ?? [])".utf8)
  }

  private static func path(_ text: String, in worktree: String) -> String? {
    guard text.hasPrefix("~") else { return HostFile.join(worktree, text) }
    guard text.hasPrefix("~/"), let home = getenv("HOME") else { return nil }
    return HostFile.join(String(cString: home), String(text.dropFirst(2)))
  }
}
