/// The repositories, worktrees and submodules within a folder, in any depth, hidden or ignored.
struct NestedRepositories: Sendable {
  /// The folders that hold something called `.git`, and repositories without a worktree.
  private(set) var folders: [String] = []
  /// Whether the search was incomplete.
  private(set) var isCut = false

  /// Searches a folder; links are not followed.
  ///
  /// - Parameters:
  ///   - root: An absolute path; what `.git` is in it itself does not count.
  ///   - most: The most folders that are opened.
  /// - Returns: The repositories found, ordered.
  @concurrent
  static func find(in root: String, most: Int = WatchLimits.walkedFolders) async -> Self {
    var found = Self()
    var open = [Array(root.utf8)]
    var count = 0
    while let folder = open.popLast() {
      guard count < most else {
        found.isCut = true
        break
      }
      count += 1
      var names: Set<[UInt8]> = []
      let inner = entries(folder, &names)
      let isRoot = count == 1
      let text = String(decoding: folder, as: UTF8.self)
      if !isRoot, names.contains(Array(".git".utf8)) { found.folders.append(text) }
      if !isRoot, GitLayout.isRepository(names) {
        found.folders.append(text)
        // Repositories of submodules have those of submodules within.
        let modules = folder + Array("/modules".utf8)
        if HostFile.kindOfItself(modules) == .folder { open.append(modules) }
        continue
      }
      open += inner
    }
    found.folders.sort()
    return found
  }

  /// The folders in a folder but `.git`, and all the names.
  private static func entries(_ folder: [UInt8], _ names: inout Set<[UInt8]>) -> [[UInt8]] {
    var inner: [[UInt8]] = []
    for entry in HostFile.entries(of: folder) {
      names.insert(entry.name)
      guard entry.kind == .folder, entry.name != Array(".git".utf8) else { continue }
      inner.append(folder + [0x2F] + entry.name)
    }
    return inner
  }
}
