import CProcess
import Glibc
import Workspaces

/// A folder that is held open, reached without following a link.
///
/// Every operation applies to that folder, wherever its path leads by now. Names are single path components, and
/// nothing here follows a link of such a name.
final class OpenFolder: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens a folder.
  ///
  /// - Parameters:
  ///   - path: An absolute path.
  ///   - makes: Whether missing folders are created, for their owner only.
  /// - Returns: The folder; `nil` if it does not exist, or any part of the path is a link.
  static func open(_ path: String, makes: Bool = false) -> OpenFolder? {
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    let root = folder_open(AT_FDCWD, "/")
    guard root >= 0 else { return nil }
    return OpenFolder(root).folder(parts(path), makes: makes)
  }

  /// The parts of a path.
  static func parts(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Opens a folder below this one.
  ///
  /// - Parameters:
  ///   - names: The path below this folder.
  ///   - makes: Whether missing folders are created, for their owner only.
  /// - Returns: The folder; `nil` if it does not exist, or any part of the path is a link or not a folder.
  func folder(_ names: [String], makes: Bool = false) -> OpenFolder? {
    var here = self
    for name in names {
      guard Self.isName(name) else { return nil }
      var next = folder_open(here.descriptor, name)
      if next < 0, errno == ENOENT, makes {
        mkdirat(here.descriptor, name, 0o700)
        next = folder_open(here.descriptor, name)
      }
      guard next >= 0 else { return nil }
      here = OpenFolder(next)
    }
    return here
  }

  /// Whether a text is a single part of a path.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && text != "." && text != ".." && text.utf8.count <= 255
      && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }

  private func facts(_ name: String) -> stat? {
    var facts = stat()
    guard Self.isName(name), fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else {
      return nil
    }
    return facts
  }

  /// The kind of what has a name here; `nil` if nothing has.
  func kind(_ name: String) -> HostFile.Kind? { facts(name).map { HostFile.kind($0.st_mode) } }

  /// When the status of an entry last changed (ctime, which no program can set), in seconds since 1970.
  func statusChangedAt(_ name: String) -> Double? {
    facts(name).map { Double($0.st_ctim.tv_sec) + Double($0.st_ctim.tv_nsec) / 1e9 }
  }

  /// Whether two folders are on the same file system.
  func sharesFileSystem(_ other: OpenFolder) -> Bool {
    var (own, others) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && fstat(other.descriptor, &others) == 0
      && own.st_dev == others.st_dev
  }

  /// The names here that are UTF-8, ordered.
  func names(most: Int) -> [String] {
    HostFile.names(in: "/proc/self/fd/\(descriptor)", most: most)
  }

  // MARK: Files

  /// The bytes of a regular file.
  ///
  /// - Returns: All bytes; `nil` if the file does not exist, is not regular, is a link, or exceeds
  ///   the limit.
  func bytes(_ name: String, limit: Int = WatchLimits.stateFileBytes) -> [UInt8]? {
    guard Self.isName(name) else { return nil }
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return HostFile.bytes(of: file, limit: limit)
  }

  /// What the name of a file ends with while it is written.
  static let fresh = ".freshet-new"

  /// Writes a file that only its owner can read, replacing an existing one, and syncs it to disk.
  ///
  /// - Returns: Whether it was written.
  func write(_ bytes: [UInt8], to name: String) -> Bool {
    let fresh = name + Self.fresh
    guard Self.isName(fresh), kind(name) != .folder else { return false }
    unlinkat(descriptor, fresh, 0)
    let file = openat(
      descriptor,
      fresh,
      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
      0o600
    )
    guard file >= 0 else { return false }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    let isWhole = rest.isEmpty && fsync(file) == 0
    close(file)
    guard isWhole, renameat(descriptor, fresh, descriptor, name) == 0 else {
      unlinkat(descriptor, fresh, 0)
      return false
    }
    synchronize()
    return true
  }

  /// Opens the folder itself to lock it (flock(2)).
  ///
  /// - Returns: A descriptor, which the caller closes; -1 if it may not be read.
  func openToLock() -> Int32 { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }

  // MARK: Moving and removing

  /// Moves an entry within the file system, never over an existing one.
  ///
  /// - Returns: `nil` if it was moved, else why it was not.
  func move(_ name: String, to target: OpenFolder, as other: String) -> String? {
    guard Self.isName(name), Self.isName(other) else { return "\(name) is not a name" }
    let failure = folder_move(descriptor, name, target.descriptor, other)
    guard failure == 0 else { return String(cString: strerror(failure)) }
    synchronize()
    target.synchronize()
    return nil
  }

  /// Removes a folder here if nothing is in it.
  func removeIfEmpty(_ name: String) {
    if Self.isName(name) { unlinkat(descriptor, name, AT_REMOVEDIR) }
  }

  /// Removes a file or a link here.
  ///
  /// - Returns: Whether it is gone.
  @discardableResult
  func unlink(_ name: String) -> Bool {
    guard Self.isName(name) else { return false }
    return unlinkat(descriptor, name, 0) == 0 || errno == ENOENT
  }

  /// Removes what has a name here with everything in it.
  ///
  /// Links are removed, not followed; another file system within keeps it.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - last: A file in it that goes after everything else.
  /// - Returns: Whether it is gone.
  func remove(_ name: String, last: String? = nil) -> Bool {
    guard let facts = facts(name) else { return Self.isName(name) }
    guard HostFile.kind(facts.st_mode) == .folder else { return unlink(name) }
    return Self.remove(Array(name.utf8), in: descriptor, facts.st_dev, last.map { Array($0.utf8) })
  }

  private static func remove(
    _ name: [UInt8],
    in parent: Int32,
    _ device: dev_t,
    _ last: [UInt8]?,
    depth: Int = 0
  ) -> Bool {
    guard depth < WatchLimits.removedDepth else { return false }
    let handle = withText(name) { folder_open(parent, $0) }
    guard handle >= 0 else { return false }
    defer { close(handle) }
    var facts = stat()
    guard fstat(handle, &facts) == 0, facts.st_dev == device else { return false }
    let place = "/proc/self/fd/\(handle)"
    // A folder without write permission cannot be emptied.
    if facts.st_mode & 0o700 != 0o700 { chmod(place, 0o700) }
    guard let (folders, files) = entries(place, handle, besides: last) else { return false }
    for file in files where withText(file, { unlinkat(handle, $0, 0) }) != 0 && errno != ENOENT {
      return false
    }
    for folder in folders {
      guard remove(folder, in: handle, device, nil, depth: depth + 1) else { return false }
    }
    if let last, withText(last, { unlinkat(handle, $0, 0) }) != 0, errno != ENOENT { return false }
    return withText(name) { unlinkat(parent, $0, AT_REMOVEDIR) } == 0 || errno == ENOENT
  }

  /// The names of the folders in a folder, and of everything else.
  private static func entries(
    _ place: String,
    _ handle: Int32,
    besides left: [UInt8]?
  ) -> (folders: [[UInt8]], files: [[UInt8]])? {
    guard let directory = opendir(place) else { return nil }
    defer { closedir(directory) }
    var (folders, files): ([[UInt8]], [[UInt8]]) = ([], [])
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == [0x2E] || name == [0x2E, 0x2E] || name == left { continue }
      var facts = stat()
      guard withText(name, { fstatat(handle, $0, &facts, AT_SYMLINK_NOFOLLOW) }) == 0 else {
        continue
      }
      if HostFile.kind(facts.st_mode) == .folder {
        folders.append(name)
      } else {
        files.append(name)
      }
    }
    return (folders, files)
  }

  private static func withText(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
    (name + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(body) ?? -1 }
    }
  }

  private func synchronize() {
    let readable = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard readable >= 0 else { return }
    fsync(readable)
    close(readable)
  }
}
