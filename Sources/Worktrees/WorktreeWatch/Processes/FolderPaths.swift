import Glibc

/// The paths at which the processes of a mount namespace can see a folder.
///
/// Whatever is in the folder has a path at or below one of these: a process sees the folder only through a mount of its
/// file system, or of an overlay that it is a layer of. So a comparison of a few bytes decides for nearly every open or
/// mapped file that it is elsewhere; only for the others does it matter which mount hides which.
struct FolderPaths: Sendable {
  /// The paths, without a slash at the end, so that the root is empty.
  private let paths: [[UInt8]]
  /// The same as `/proc/N/maps` writes them, with a zero at the end.
  private let mapped: [[UInt8]]

  /// Takes the paths, each absolute.
  init(_ paths: [[UInt8]]) {
    self.paths = Set(paths.map { $0 == [0x2F] ? [] : $0 }).sorted { $0.count < $1.count }
    mapped = self.paths.map { Self.asInMaps($0) + [0] }
  }

  /// Whether what has a path can be in the folder.
  func mayContain(_ path: UnsafeRawBufferPointer) -> Bool {
    for known in paths where Self.isAtOrBelow(path, known) { return true }
    return false
  }

  /// Whether a list of what a process has mapped can name a file of the folder.
  ///
  /// - Parameter list: The content of `/proc/N/maps`, with a zero at the end.
  /// - Returns: `false` if it names none.
  func mayBeNamed(in list: UnsafeRawBufferPointer) -> Bool {
    guard let list = list.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
    for known in mapped {
      let isNamed = known.withUnsafeBytes { known in
        guard let known = known.baseAddress else { return false }
        return strstr(list, known.assumingMemoryBound(to: CChar.self)) != nil
      }
      if isNamed { return true }
    }
    return false
  }

  private static func isAtOrBelow(_ path: UnsafeRawBufferPointer, _ known: [UInt8]) -> Bool {
    let length = known.count
    guard path.count > 0, path[0] == 0x2F, path.count >= length,
      path.count == length || path[length] == 0x2F
    else { return false }
    return length == 0
      || known.withUnsafeBytes { known in
        guard let one = path.baseAddress, let other = known.baseAddress else { return false }
        return memcmp(one, other, length) == 0
      }
  }

  /// The bytes of a path, with newlines as the kernel writes them in lists of mappings: `\012`.
  private static func asInMaps(_ path: [UInt8]) -> [UInt8] {
    path.contains(0x0A) ? path.flatMap { $0 == 0x0A ? Array("\\012".utf8) : [$0] } : path
  }
}

extension MountPoints.Mount {
  /// The path at which a mount shows a folder of its file system, or the mount point if the mount shows what is in it.
  ///
  /// - Parameter folder: The path of the folder within the file system.
  /// - Returns: The path; `nil` if nothing of the folder is seen through this mount.
  func path(of folder: [UInt8]) -> [UInt8]? {
    let (here, wanted) = (
      FileSystemPlace(device: device, path: root), FileSystemPlace(device: device, path: folder)
    )
    if wanted.contains(here) { return point }
    guard here.contains(wanted) else { return nil }
    return (point == [0x2F] ? [] : point) + folder.dropFirst(root == [0x2F] ? 0 : root.count)
  }
}
