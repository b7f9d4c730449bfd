import Workspaces

/// A place in a file system, whatever path leads there: the same through each of its mounts, in each namespace.
struct FileSystemPlace: Hashable, Sendable {
  /// The number of the file system, as lists of mounts have it.
  var device: [UInt8]
  /// The path within it.
  var path: [UInt8]

  /// Whether a place is this one or lies below it.
  func contains(_ other: Self) -> Bool {
    device == other.device
      && (path == other.path || path == [0x2F] || other.path.starts(with: path + [0x2F]))
  }
}

/// The mounts that a process sees, which say what place a path of its is.
struct MountView: Sendable {
  /// The mounts; each hides those that came before it.
  let all: [MountPoints.Mount]

  /// Takes a list of mounts, as `/proc/N/mountinfo` has it; a mount hides those that came before it.
  init(_ mounts: [MountPoints.Mount]) { all = mounts }

  /// Reads the list of a process.
  ///
  /// - Parameter entry: The folder of the process, such as `/proc/self`.
  init?(of entry: String) {
    guard let bytes = HostFile.bytes("\(entry)/mountinfo", limit: WatchLimits.mountListBytes) else {
      return nil
    }
    self.init(MountPoints.list(bytes))
  }

  /// The place that an absolute path leads to.
  func place(of path: String) -> FileSystemPlace? {
    mount(of: path).map { $0.mount.place($0.rest) }
  }

  /// The mount that an absolute path is in, and what of the path is below it.
  func mount(of path: String) -> (mount: MountPoints.Mount, rest: [UInt8])? {
    let path = Array(path.utf8)
    var best: (mount: MountPoints.Mount, length: Int)?
    for mount in all {
      let length = mount.point == [0x2F] ? 0 : mount.point.count
      guard length >= best?.length ?? 0, path.starts(with: mount.point),
        length == 0 || path.count == length || path[length] == 0x2F
      else { continue }
      best = (mount, length)
    }
    guard let best else { return nil }
    return (best.mount, Array(path.dropFirst(best.length).drop { $0 == 0x2F }))
  }
}

extension MountPoints.Mount {
  /// The place of a path below the mount point.
  func place(_ rest: [UInt8]) -> FileSystemPlace {
    let whole = (root == [0x2F] ? [] : root) + (rest.isEmpty ? [] : [0x2F] + rest)
    return FileSystemPlace(device: device, path: whole.isEmpty ? [0x2F] : whole)
  }
}
