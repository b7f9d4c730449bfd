import Glibc

/// The repositories, worktrees and submodules within a folder, in any depth, hidden or ignored.
struct NestedRepositories: Sendable {
  /// The folders that hold something called `.git`, and repositories without a worktree.
  private(set) var folders: [String] = []
  /// Whether not everything was looked through.
  private(set) var isCut = false

  /// Looks through a folder; links are not followed.
  ///
  /// - Parameters:
  ///   - root: An absolute path; what `.git` is in it itself does not count.
  ///   - most: The most folders that are opened.
  /// - Returns: What was found, ordered.
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
    let directory = (folder + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { opendir($0) } }
    }
    guard let directory else { return [] }
    defer { closedir(directory) }
    var inner: [[UInt8]] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == [0x2E] || name == [0x2E, 0x2E] { continue }
      names.insert(name)
      if name == Array(".git".utf8) { continue }
      let path = folder + [0x2F] + name
      let isFolder =
        switch Int(entry.pointee.d_type) {
        case Int(DT_DIR): true
        case Int(DT_UNKNOWN): HostFile.kindOfItself(path) == .folder
        default: false
        }
      if isFolder { inner.append(path) }
    }
    return inner
  }
}
