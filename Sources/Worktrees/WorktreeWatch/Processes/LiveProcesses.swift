import Glibc
import Workspaces

/// Finds the processes that use a folder, through `/proc`: of any program, as far as this user may see.
///
/// A process counts whose working folder or program lies in the folder or below, or that has a file there open. A working
/// folder is compared by its inode too, and so are those above it, so that another mount of the folder, as containers have,
/// hides nobody.
enum LiveProcesses {
  private struct Inode: Hashable {
    var device: UInt64
    var number: UInt64
  }

  /// Looks now.
  ///
  /// - Parameters:
  ///   - folder: An absolute path without links.
  ///   - inner: Folders below it that do not count, such as other worktrees.
  ///   - proc: Where the processes are.
  /// - Returns: The processes, ordered by their numbers. Processes of git that this process started do not count.
  @concurrent
  static func using(
    _ folder: String,
    besides inner: [String] = [],
    proc: String = "/proc"
  ) async -> [LiveProcess] {
    let own = getpid()
    let place = Place(folder, inner)
    var found: [LiveProcess] = []
    for name in HostFile.names(in: proc, most: WatchLimits.processesLookedAt) {
      guard let number = Int32(name) else { continue }
      let entry = "\(proc)/\(number)"
      guard let use = use(of: entry, place, looksAtFiles: number != own),
        let status = status(entry), !isOwnGit(status, own, proc)
      else { continue }
      found.append(
        LiveProcess(number: number, start: status.start, name: status.name, use: use)
      )
    }
    return found.sorted { $0.number < $1.number }
  }

  /// A folder and what of it does not count, by path and by inode.
  private struct Place {
    let folder: String
    let inner: [String]
    let inode: Inode?
    let innerInodes: Set<Inode>

    init(_ folder: String, _ inner: [String]) {
      self.folder = folder
      self.inner = inner.filter { !$0.isSameName(as: folder) && HostFile.isWithin($0, folder) }
      inode = LiveProcesses.inode(folder)
      innerInodes = Set(self.inner.compactMap(LiveProcesses.inode))
    }

    func contains(_ path: String) -> Bool {
      HostFile.isWithin(path, folder) && !path.hasSuffix(" (deleted)")
        && !inner.contains { HostFile.isWithin(path, $0) }
    }

    /// Whether a folder, named by a link of `/proc`, is this one or lies below it.
    func encloses(_ link: String) -> Bool {
      guard let inode else { return false }
      var path = link
      var last: Inode?
      for _ in 0..<WatchLimits.parentFolders {
        guard let here = LiveProcesses.inode(path), here != last else { return false }
        if here == inode { return true }
        if innerInodes.contains(here) { return false }
        last = here
        path += "/.."
      }
      return false
    }
  }

  private static func use(
    of entry: String,
    _ place: Place,
    looksAtFiles: Bool
  ) -> LiveProcess.Use? {
    let directory = "\(entry)/cwd"
    if let target = target(of: directory) {
      if place.contains(target) || place.encloses(directory) { return .workingFolder }
    }
    if let program = target(of: "\(entry)/exe"), place.contains(program) { return .program }
    guard looksAtFiles else { return nil }
    for name in HostFile.names(in: "\(entry)/fd", most: WatchLimits.filesOfProcess) {
      if let target = target(of: "\(entry)/fd/\(name)"), place.contains(target) {
        return .file(target)
      }
    }
    return nil
  }

  private static func status(_ entry: String) -> ProcessStatus? {
    HostFile.bytes("\(entry)/stat").flatMap(ProcessStatus.init)
  }

  /// Whether a process is a git that this process started, or was started by one.
  private static func isOwnGit(_ status: ProcessStatus, _ own: Int32, _ proc: String) -> Bool {
    var here = status
    for _ in 0..<WatchLimits.parentFolders {
      if here.parent == own { return here.name == "git" }
      guard here.parent > 1, let above = Self.status("\(proc)/\(here.parent)") else { return false }
      here = above
    }
    return false
  }

  private static func target(of link: String) -> String? {
    var room = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = room.withUnsafeMutableBytes { room in
      room.withMemoryRebound(to: CChar.self) { room in
        room.baseAddress.map { readlink(link, $0, room.count) } ?? -1
      }
    }
    return count > 0 ? String(decoding: room[..<count], as: UTF8.self) : nil
  }

  private static func inode(_ path: String) -> Inode? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return Inode(device: UInt64(facts.st_dev), number: UInt64(facts.st_ino))
  }
}
