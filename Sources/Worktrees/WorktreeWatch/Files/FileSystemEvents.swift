/// Whether a file system reports all changes through inotify(7).
///
/// Changes by another machine, or by a program behind a FUSE mount, cause no events here.
enum FileSystemEvents {
  /// The types of file systems whose files may be changed elsewhere (filesystems(5)).
  private static let remote: Set<String> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "fuse", "ceph", "afs", "coda",
    "lustre", "ocfs2", "gfs2", "gpfs", "orangefs", "vboxsf", "vmhgfs", "prl_fs", "ncpfs", "sshfs",
  ]

  /// The type of the file system of a path, if not all changes on it make events.
  ///
  /// - Parameter path: An absolute path without links.
  /// - Returns: The type, such as `nfs4`; `nil` if all changes make events, as far as is known.
  static func lacking(_ path: String) -> String? {
    guard
      let bytes = HostFile.bytes("/proc/self/mountinfo", limit: WatchLimits.mountListBytes)
    else { return nil }
    return lacking(path, MountPoints.list(bytes))
  }

  /// The same by a list of mounts, of which later ones lie over earlier ones.
  static func lacking(_ path: String, _ mounts: [MountPoints.Mount]) -> String? {
    let bytes = Array(path.utf8)
    let type = mounts.filter { mount in
      mount.point == [UInt8(ascii: "/")] || bytes == mount.point
        || bytes.starts(with: mount.point + [UInt8(ascii: "/")])
    }
    .enumerated()
    .max { ($0.element.point.count, $0.offset) < ($1.element.point.count, $1.offset) }?
    .element.type
    guard let type else { return nil }
    return remote.contains(type) || type.hasPrefix("fuse.") ? type : nil
  }
}
