import Workspaces

/// A folder whose users are searched for, and what of it does not count, by path and by inode.
///
/// Remembers the mounts, the overlays and the sockets of each namespace while the processes are examined.
struct ScannedFolder {
  /// What the processes of a mount namespace see.
  struct View {
    /// Whether paths of this process mean the same there, as far as is known.
    fileprivate let isOwn: Bool
    fileprivate let mounts: MountView?
    /// The layers that have to do with the folder, by overlay.
    fileprivate let layers: [MountPoints.Mount: [FileSystemPlace]]
    /// The paths at which they can see the folder.
    let paths: FolderPaths

    /// Whether a link of a process leads into the folder.
    func holds(
      _ link: String,
      of process: borrowing ProcessEntry,
      _ folder: ScannedFolder
    ) -> Bool {
      guard let target = process.target(link), paths.mayContain(target) else { return false }
      return folder.contains(String(decoding: target, as: UTF8.self), self)
    }
  }

  private let folder: String
  private let inner: [String]
  private let inode: Inode?
  private let innerInodes: Set<Inode>
  private let own: FileSystemPlace?
  private let ownInner: [FileSystemPlace]
  private let ownNamespace: String?
  private let ownMounts: MountView?
  private var views: [String: View] = [:]
  private var sockets: [String: SocketPaths] = [:]

  /// Takes a folder.
  ///
  /// - Parameters:
  ///   - folder: An absolute path without links.
  ///   - inner: Folders that do not count, if they are below it.
  ///   - proc: Where the processes are.
  init(_ folder: String, _ inner: [String], _ proc: String) {
    self.folder = folder
    self.inner = inner.filter { !$0.isSameName(as: folder) && HostFile.isWithin($0, folder) }
    inode = Inode(of: folder)
    innerInodes = Set(self.inner.compactMap(Inode.init(of:)))
    let mounts = MountView(of: "\(proc)/self")
    own = mounts?.place(of: folder)
    ownInner = self.inner.compactMap { mounts?.place(of: $0) }
    ownMounts = mounts
    ownNamespace = ProcessEntry("\(proc)/self", ProcessMemory())?.text("ns/mnt")
  }

  /// What a process sees.
  ///
  /// Where that may not be read, it is taken to see what this process does.
  mutating func view(of process: borrowing ProcessEntry) -> View {
    let namespace = process.text("ns/mnt")
    let key = namespace ?? ownNamespace ?? process.path
    if let known = views[key] { return known }
    let isOwn = namespace == nil || namespace == ownNamespace
    let mounts = key == ownNamespace ? ownMounts : MountView(of: process.path)
    var paths = isOwn ? [Array(folder.utf8)] : []
    var layers: [MountPoints.Mount: [FileSystemPlace]] = [:]
    for mount in mounts?.all ?? [] {
      guard let own else { break }
      if mount.device == own.device, let path = mount.path(of: own.path) { paths.append(path) }
      guard !mount.layers.isEmpty else { continue }
      let near = self.layers(of: mount, mounts, own)
      layers[mount] = near
      paths += near.compactMap { layer in
        own.contains(layer)
          ? mount.point : mount.path(of: Array(own.path.dropFirst(layer.path.count)))
      }
    }
    let view = View(
      isOwn: isOwn,
      mounts: mounts,
      layers: layers,
      paths: FolderPaths(paths)
    )
    views[key] = view
    return view
  }

  /// Whether a path of a process is in the folder.
  ///
  /// - Parameters:
  ///   - path: An absolute path, as `/proc` has it.
  ///   - view: What the process sees.
  /// - Returns: Whether it is, by whatever mount.
  func contains(_ path: String, _ view: View) -> Bool {
    guard path.utf8.first == UInt8(ascii: "/"), !path.hasSuffix(" (deleted)") else { return false }
    if view.isOwn, HostFile.isWithin(path, folder) {
      return !inner.contains { HostFile.isWithin(path, $0) }
    }
    guard let (mount, rest) = view.mounts?.mount(of: path) else { return false }
    let place = mount.place(rest)
    return encloses(place)
      || view.layers[mount]?.contains { layer in
        encloses(FileSystemPlace(device: layer.device, path: layer.path + place.path))
      } ?? false
  }

  /// The layers of an overlay that the folder is in, or that are in the folder.
  ///
  /// Their paths are those of the process that mounted it: of this process or of the one that is examined.
  private func layers(
    of mount: MountPoints.Mount,
    _ mounts: MountView?,
    _ own: FileSystemPlace
  ) -> [FileSystemPlace] {
    let seen = [mounts, ownMounts].compactMap(\.self)
    let found = mount.layers.flatMap { layer in
      seen.compactMap { $0.place(of: String(decoding: layer, as: UTF8.self)) }
    }
    return found.filter { own.contains($0) || $0.contains(own) }
      .map { $0.path == [0x2F] ? FileSystemPlace(device: $0.device, path: []) : $0 }
  }

  private func encloses(_ place: FileSystemPlace) -> Bool {
    own?.contains(place) ?? false && !ownInner.contains { $0.contains(place) }
  }

  /// Whether a folder, named by a link of `/proc`, is this one or lies below it.
  func encloses(_ link: String, of process: borrowing ProcessEntry) -> Bool {
    guard let inode else { return false }
    var path = link
    var last: Inode?
    for _ in 0..<WatchLimits.parentFolders {
      guard let here = process.inode(path), here != last else { return false }
      if here == inode { return true }
      if innerInodes.contains(here) { return false }
      last = here
      path += "/.."
    }
    return false
  }

  /// The paths of the sockets that a process may have.
  ///
  /// - Parameters:
  ///   - namespace: Names the network namespace of the process.
  ///   - entry: The folder of the process in `/proc`.
  /// - Returns: The paths.
  mutating func sockets(_ namespace: String, of entry: String) -> SocketPaths {
    if let known = sockets[namespace] { return known }
    let list = HostFile.bytes("\(entry)/net/unix", limit: WatchLimits.mountListBytes) ?? []
    let paths = SocketPaths(list)
    sockets[namespace] = paths
    return paths
  }
}
