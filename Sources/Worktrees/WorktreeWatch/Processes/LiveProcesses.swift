import CProcess
import Glibc
import Workspaces

/// Finds the processes that use a folder, through `/proc`: of any program, as far as this user may see.
///
/// A process counts if its working folder, root folder or program is in the folder or below, or if it has a file open
/// or mapped, or a socket bound there. Paths are compared as places in file systems, through the mounts of each process, so that a
/// process that sees the folder through another mount, as in a container, is found too. Working folders and root
/// folders are also compared by inode, and so are those above them.
enum LiveProcesses {
  /// Scans now.
  ///
  /// - Parameters:
  ///   - folder: An absolute path without links.
  ///   - inner: Folders below it that do not count, such as other worktrees.
  ///   - numbers: The processes to look at; all without it.
  /// - Returns: The processes, ordered by their numbers. Processes of git that this process started do not count.
  @concurrent
  static func using(
    _ folder: String,
    besides inner: [String] = [],
    among numbers: [Int32]? = nil
  ) async -> [LiveProcess] {
    scan(folder, inner, among: numbers)
  }

  /// Scans now, on the caller's thread.
  ///
  /// - Parameters:
  ///   - folder: An absolute path without links.
  ///   - inner: Folders below it that do not count, such as other worktrees.
  ///   - numbers: The processes to look at; all without it.
  ///   - proc: Where the processes are.
  /// - Returns: The processes, ordered by their numbers.
  static func scan(
    _ folder: String,
    _ inner: [String],
    among numbers: [Int32]? = nil,
    proc: String = "/proc"
  ) -> [LiveProcess] {
    let own = getpid()
    let memory = ProcessMemory()
    var place = ScannedFolder(folder, inner, proc)
    var found: [LiveProcess] = []
    let all =
      numbers
      ?? HostFile.names(in: proc, most: WatchLimits.processesScanned).compactMap { Int32($0) }
    for number in all {
      guard let process = ProcessEntry("\(proc)/\(number)", memory) else { continue }
      let includesFiles = number != own
      var entry = process.path
      var use = use(of: process, &place, includesFiles: includesFiles)
      if use == nil, let thread = thread(of: process, number, &place, memory, includesFiles) {
        use = thread.use
        // A first thread that has ended is one that waits to be collected, as a dead process is.
        if status(entry) == nil { entry = thread.entry }
      }
      guard let use, let status = status(entry), !isOwnGit(status, own, proc) else { continue }
      found.append(
        LiveProcess(number: number, start: status.start, name: status.name, use: use)
      )
    }
    return found.sorted { $0.number < $1.number }
  }

  /// How a thread uses the folder that has a working folder or open files of its own, or outlives the first thread.
  ///
  /// - Returns: The use and the folder of the thread in `/proc`; `nil` if none of them uses it.
  private static func thread(
    of process: borrowing ProcessEntry,
    _ number: Int32,
    _ place: inout ScannedFolder,
    _ memory: ProcessMemory,
    _ includesFiles: Bool
  ) -> (use: LiveProcess.Use, entry: String)? {
    let threads = HostFile.names(in: "\(process.path)/task", most: WatchLimits.threadsOfProcess)
      .compactMap { Int32($0) }
    for thread in threads where thread != number && !process_threads_share(number, thread) {
      guard let entry = ProcessEntry("\(process.path)/task/\(thread)", memory),
        let use = use(of: entry, &place, includesFiles: includesFiles)
      else { continue }
      return (use, entry.path)
    }
    return nil
  }

  private static func use(
    of process: borrowing ProcessEntry,
    _ place: inout ScannedFolder,
    includesFiles: Bool
  ) -> LiveProcess.Use? {
    let view = place.view(of: process)
    if view.holds("cwd", of: process, place) || place.encloses("cwd", of: process) {
      return .workingFolder
    }
    if view.holds("exe", of: process, place) { return .program }
    if view.holds("root", of: process, place)
      || process.text("root") != "/" && place.encloses("root", of: process)
    {
      return .rootFolder
    }
    guard includesFiles else { return nil }
    return openFile(of: process, &place, view) ?? mapping(of: process, &place, view)
  }

  private static func openFile(
    of process: borrowing ProcessEntry,
    _ place: inout ScannedFolder,
    _ view: ScannedFolder.View
  ) -> LiveProcess.Use? {
    let folder = process.text("cwd")
    let network = process.text("ns/net") ?? process.path
    let entry = process.path
    return process.firstFile { target in
      if view.paths.mayContain(target) {
        let path = String(decoding: target, as: UTF8.self)
        return place.contains(path, view) ? .file(path) : nil
      }
      guard let number = SocketPaths.number(target),
        let path = place.sockets(network, of: entry).path(number, in: folder),
        place.contains(path, view)
      else { return nil }
      return .socket(path)
    }
  }

  /// A file that is mapped stays in use when it is closed.
  private static func mapping(
    of process: borrowing ProcessEntry,
    _ place: inout ScannedFolder,
    _ view: ScannedFolder.View
  ) -> LiveProcess.Use? {
    guard let list = process.mappings(), view.paths.mayBeNamed(in: list) else { return nil }
    var rest = list.dropLast()
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      let line = rest[..<end]
      rest = rest[end...].dropFirst()
      guard let slash = line.firstIndex(of: 0x2F) else { continue }
      // The kernel writes a newline as `\012` and nothing else in another way, so that a name may have these bytes too.
      let path = String(decoding: line[slash...], as: UTF8.self)
      if place.contains(path, view) { return .mapping(path) }
      guard line[slash...].contains(UInt8(ascii: "\\")) else { continue }
      let other = String(decoding: MountPoints.unescaped(Array(line[slash...])), as: UTF8.self)
      if place.contains(other, view) { return .mapping(other) }
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
}
