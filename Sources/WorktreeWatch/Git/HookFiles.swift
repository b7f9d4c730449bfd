import ConditionalHTTP
import Git
import Glibc

/// The hooks of a repository (githooks(5)): programs that git runs because they are there.
enum HookFiles {
  /// Looks for them.
  ///
  /// Of a folder for hooks outside of the repository, which the person chose for all, nothing is the repository's.
  ///
  /// - Parameters:
  ///   - settings: The configuration as git sees it from the worktree.
  ///   - worktree: The worktree, or a repository without one.
  ///   - common: The common directory.
  ///   - isOwn: Whether an entry is the repository's own.
  /// - Returns: The hooks, ordered by name.
  static func find(
    _ settings: GitSettings,
    in worktree: String,
    _ common: String,
    isOwn: (GitSettings.Entry) -> Bool
  ) -> [ConfiguredProgram] {
    let key = Array("core.hookspath".utf8)
    let entry = settings.entries.last { $0.key == key && $0.scope != .command }
    var folder = HostFile.join(common, "hooks")
    if let entry, let value = entry.value, !value.isEmpty {
      guard let path = path(String(decoding: value, as: UTF8.self), in: worktree) else { return [] }
      folder = path
      guard isOwn(entry) || HostFile.isWithin(folder, worktree) || HostFile.isWithin(folder, common)
      else { return [] }
    }
    return HostFile.names(in: folder, most: WatchLimits.hooks).filter { !$0.contains(".") }
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

  /// What tells a hook from another one.
  private static func content(_ path: String) -> [UInt8] {
    if let bytes = HostFile.bytes(path, limit: WatchLimits.hookBytes) { return SHA256.hash(bytes) }
    // A program that is too long to be read: its file tells.
    return Array("\(HostFile.identity(path) ?? [])".utf8)
  }

  private static func path(_ text: String, in worktree: String) -> String? {
    guard text.hasPrefix("~") else { return HostFile.join(worktree, text) }
    guard text.hasPrefix("~/"), let home = getenv("HOME") else { return nil }
    return HostFile.join(String(cString: home), String(text.dropFirst(2)))
  }
}
