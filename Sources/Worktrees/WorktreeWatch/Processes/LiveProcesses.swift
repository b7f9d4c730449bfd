import Glibc
import Workspaces

/// Finds the processes that use a folder, through `/proc`: of any program, as far as this user may see.
///
/// A process counts if its working folder, root folder or program is in the folder or below, or if it has a file open
/// or mapped, or a socket bound there. Paths are compared as places in file systems, through the mounts of each process, so that a
/// process that sees the folder through another mount, as in a container, is found too. Working folders and root
/// folders are also compared by inode, and so are those above them.
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
    var place = Place(folder, inner, proc)
    var found: [LiveProcess] = []
    for name in HostFile.names(in: proc, most: WatchLimits.processesLookedAt) {
      guard let number = Int32(name) else { continue }
      let entry = "\(proc)/\(number)"
      guard let use = use(of: entry, &place, looksAtFiles: number != own),
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
    private let own: FileSystemPlace?
    private let ownInner: [FileSystemPlace]
    private let ownNamespace: String?
    private var views: [String: MountView?] = [:]
    private var sockets: [String: SocketPaths] = [:]
    private var overlays: [[UInt8]: [FileSystemPlace]] = [:]

    init(_ folder: String, _ inner: [String], _ proc: String) {
      self.folder = folder
      self.inner = inner.filter { !$0.isSameName(as: folder) && HostFile.isWithin($0, folder) }
      inode = LiveProcesses.inode(folder)
      innerInodes = Set(self.inner.compactMap(LiveProcesses.inode))
      let view = MountView(of: "\(proc)/self")
      own = view?.place(of: folder)
      ownInner = self.inner.compactMap { view?.place(of: $0) }
      ownNamespace = target(of: "\(proc)/self/ns/mnt")
      if let ownNamespace { views[ownNamespace] = view }
    }

    /// Whether a path of a process is in the folder.
    ///
    /// - Parameters:
    ///   - path: An absolute path, as `/proc` has it.
    ///   - entry: The folder of the process in `/proc`.
    ///   - namespace: Names the mounts that the process sees; `nil` if that may not be read.
    /// - Returns: Whether it is, by whatever mount.
    mutating func contains(_ path: String, of entry: String, _ namespace: String?) -> Bool {
      guard path.utf8.first == UInt8(ascii: "/"), !path.hasSuffix(" (deleted)") else {
        return false
      }
      if namespace == nil || namespace == ownNamespace, HostFile.isWithin(path, folder) {
        return !inner.contains { HostFile.isWithin(path, $0) }
      }
      let key = namespace ?? ownNamespace ?? entry
      if views[key] == nil { views[key] = .some(MountView(of: entry)) }
      guard let view = views[key] ?? nil else { return false }
      guard let (mount, rest) = view.mount(of: path) else { return false }
      let place = mount.place(rest)
      if encloses(place) { return true }
      guard !mount.layers.isEmpty else { return false }
      return layers(of: mount, view, key).contains { layer in
        encloses(FileSystemPlace(device: layer.device, path: layer.path + place.path))
      }
    }

    /// The layers of an overlay that the folder is in, or that are in the folder.
    ///
    /// Their paths are those of whoever mounted it: of this process or of the one that is looked at.
    private mutating func layers(
      of mount: MountPoints.Mount,
      _ view: MountView,
      _ namespace: String
    ) -> [FileSystemPlace] {
      let key = Array(namespace.utf8) + mount.point
      if let known = overlays[key] { return known }
      let seen = [view, ownNamespace.flatMap { views[$0] ?? nil }].compactMap(\.self)
      let found = mount.layers.flatMap { layer in
        seen.compactMap { $0.place(of: String(decoding: layer, as: UTF8.self)) }
      }
      let near = found.filter { own?.contains($0) ?? false || own.map($0.contains) ?? false }
        .map { $0.path == [0x2F] ? FileSystemPlace(device: $0.device, path: []) : $0 }
      overlays[key] = near
      return near
    }

    private func encloses(_ place: FileSystemPlace) -> Bool {
      own?.contains(place) ?? false && !ownInner.contains { $0.contains(place) }
    }

    /// The paths of the sockets that a process may have.
    mutating func sockets(of entry: String) -> SocketPaths {
      let namespace = target(of: "\(entry)/ns/net") ?? entry
      if let known = sockets[namespace] { return known }
      let list = HostFile.bytes("\(entry)/net/unix", limit: WatchLimits.mountListBytes) ?? []
      let paths = SocketPaths(list)
      sockets[namespace] = paths
      return paths
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
    _ place: inout Place,
    looksAtFiles: Bool
  ) -> LiveProcess.Use? {
    let namespace = target(of: "\(entry)/ns/mnt")
    let folder = target(of: "\(entry)/cwd")
    if let folder,
      place.contains(folder, of: entry, namespace) || place.encloses("\(entry)/cwd")
    {
      return .workingFolder
    }
    if let program = target(of: "\(entry)/exe"), place.contains(program, of: entry, namespace) {
      return .program
    }
    if let root = target(of: "\(entry)/root"),
      place.contains(root, of: entry, namespace) || root != "/" && place.encloses("\(entry)/root")
    {
      return .rootFolder
    }
    guard looksAtFiles else { return nil }
    for name in HostFile.names(in: "\(entry)/fd", most: WatchLimits.filesOfProcess) {
      guard let target = target(of: "\(entry)/fd/\(name)") else { continue }
      if place.contains(target, of: entry, namespace) { return .file(target) }
      guard target.hasPrefix("socket:["),
        let path = place.sockets(of: entry).path(target, in: folder),
        place.contains(path, of: entry, namespace)
      else { continue }
      return .socket(path)
    }
    // A file that is mapped stays in use when it is closed.
    let maps = HostFile.bytes("\(entry)/maps", limit: WatchLimits.mapListBytes) ?? []
    var last: ArraySlice<UInt8> = []
    for line in maps.split(separator: 0x0A) {
      guard let slash = line.firstIndex(of: 0x2F), line[slash...] != last else { continue }
      last = line[slash...]
      let path = MountPoints.unescaped(Array(last))
      let text = String(decoding: path, as: UTF8.self)
      if place.contains(text, of: entry, namespace) { return .mapping(text) }
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
