import Glibc

extension GitPlace {
  /// Parts of a repository that no command that is run here writes to, or not by their paths.
  private static let unwritten: Set<[UInt8]> = Set(
    ["annex", "branches", "description", "hooks", "lfs", "svn"].map { Array($0.utf8) }
  )
  /// Folders that are searched completely.
  private static let deep: Set<[UInt8]> = Set(
    ["info", "logs", "rebase-apply", "rebase-merge", "refs", "rr-cache", "sequencer"]
      .map { Array($0.utf8) }
  )

  /// A link among the parts of a repository that git writes to.
  struct Link: Hashable, Sendable {
    /// Where it is.
    var path: String
    /// Where it leads.
    var target: String
  }

  /// The first link among the parts that git writes to which leads out of the repository and the worktree.
  ///
  /// - Throws: ``GitRunner/Failure`` if there are too many folders to search.
  func linkOutside() throws(GitRunner.Failure) -> Link? {
    var open: [(path: [UInt8], isTop: Bool)] = Set([directory, common])
      .map { (Array($0.utf8), true) }
    open += ["objects", "objects/info", "objects/pack", "freshet"].map { name in
      (Array(HostFile.join(common, name).utf8), false)
    }
    var alone = Set(open.map(\.path))
    for folder in [directory, common] {
      alone.remove(Array(folder.utf8))
      if let link = link(Array(folder.utf8)) { return link }
    }
    var count = 0
    while let (folder, isTop) = open.popLast() {
      count += 1
      guard count <= WatchLimits.walkedFolders else {
        throw .unreadable("\(common) has more than \(WatchLimits.walkedFolders) folders")
      }
      for entry in HostFile.entries(of: folder) {
        if isTop, Self.unwritten.contains(entry.name) { continue }
        let path = folder + [0x2F] + entry.name
        switch entry.kind {
        // No ref, and no file that git writes, has a name that begins with a dot; locks of editors do.
        case .link where entry.name.first != 0x2E:
          if let link = link(path) { return link }
        case .folder where !alone.contains(folder) && (!isTop || Self.deep.contains(entry.name)):
          open.append((path, false))
        default: break
        }
      }
    }
    return nil
  }

  /// A link, if one is there and leads outside.
  private func link(_ path: [UInt8]) -> Link? {
    guard HostFile.kindOfItself(path) == .link else { return nil }
    let text = String(decoding: path, as: UTF8.self)
    guard let target = HostFile.realPath(path) else {
      return Link(path: text, target: "a place that is not there")
    }
    guard ![common, directory, worktree].contains(where: { HostFile.isWithin(target, $0) }) else {
      return nil
    }
    return Link(path: text, target: target)
  }
}
