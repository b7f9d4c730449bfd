import Git
import Glibc
import Workspaces

/// Reads small files and times of the file system; writes nothing and follows no further than it says.
package enum HostFile {
  /// What kind a path is of.
  package enum Kind: Sendable {
    /// A regular file.
    case file
    /// A folder.
    case folder
    /// A symbolic link, where links are not followed.
    case link
    /// Something else: a pipe, a device.
    case other
  }

  /// The kind of a path, following links; `nil` if it does not exist.
  package static func kind(_ path: String) -> Kind? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return kind(facts.st_mode)
  }

  /// The kind of a path, not following links; `nil` if it does not exist.
  package static func kindOfItself(_ path: String) -> Kind? {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return nil }
    return kind(facts.st_mode)
  }

  /// The kind, size and owner of a path, following links.
  package static func facts(_ path: String) -> (kind: Kind, size: Int, owner: UInt32)? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return (kind(facts.st_mode), Int(facts.st_size), facts.st_uid)
  }

  /// The kind of what is at a path in bytes, which need not be UTF-8; links are not followed.
  package static func kindOfItself(_ path: [UInt8]) -> Kind? {
    var facts = stat()
    guard
      (path + [0]).withUnsafeBufferPointer({ bytes in
        bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { lstat($0, &facts) } ?? -1 }
      }) == 0
    else { return nil }
    return kind(facts.st_mode)
  }

  /// The kind that the mode of a file says.
  static func kind(_ mode: mode_t) -> Kind {
    switch mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }

  /// When a file last changed, in seconds since 1970; `nil` if it does not exist.
  package static func changedAt(_ path: String) -> Double? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return Double(facts.st_mtim.tv_sec) + Double(facts.st_mtim.tv_nsec) / 1e9
  }

  /// Identifies a state of a file: inode, size and time.
  package static func stamp(_ path: String) -> [Int]? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return [Int(facts.st_ino), Int(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec]
  }

  /// Identifies a state of a file, even if its times are set back: device, inode, mode, size, and when it and its
  /// status changed; `nil` if it does not exist.
  static func identity(_ path: String) -> [Int]? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return [
      Int(bitPattern: UInt(facts.st_dev)), Int(bitPattern: UInt(facts.st_ino)), Int(facts.st_mode),
      Int(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_ctim.tv_sec,
      facts.st_ctim.tv_nsec,
    ]
  }

  /// When the status of a file last changed (ctime, which no program can set), in seconds since 1970; `nil` if it does
  /// not exist.
  static func statusChangedAt(_ path: String) -> Double? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return Double(facts.st_ctim.tv_sec) + Double(facts.st_ctim.tv_nsec) / 1e9
  }

  /// The bytes of a regular file.
  ///
  /// - Returns: All bytes; `nil` if the file does not exist, is not regular, or exceeds the limit.
  package static func bytes(_ path: String, limit: Int = WatchLimits.stateFileBytes) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return bytes(of: descriptor, limit: limit)
  }

  /// The bytes of a regular file that is open.
  ///
  /// - Returns: All of it; `nil` if it is not regular, or longer than the limit.
  static func bytes(of descriptor: Int32, limit: Int) -> [UInt8]? {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, kind(facts.st_mode) == .file, facts.st_size <= limit
    else { return nil }
    var content: [UInt8] = []
    // One byte more than it should have, so that the second call finds the end; files of the kernel say that they are empty.
    var most = max(Int(facts.st_size) + 1, 4 << 10)
    while true {
      var count = 0
      let part = [UInt8](unsafeUninitializedCapacity: most) { room, filled in
        count = read(descriptor, room.baseAddress, most)
        filled = max(count, 0)
      }
      if count < 0 { return nil }
      if count == 0 { return content }
      if content.isEmpty { content = part } else { content += part }
      guard content.count <= limit else { return nil }
      most = 16 << 10
    }
  }

  /// The text of a small file without trailing whitespace; `nil` if it does not exist.
  package static func text(_ path: String) -> String? {
    guard var content = bytes(path) else { return nil }
    while let last = content.last, last <= 0x20 { content.removeLast() }
    return String(decoding: content, as: UTF8.self)
  }

  /// The names in a folder whose names are UTF-8, ordered, without `.` and `..`.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - most: The most names that are read.
  /// - Returns: The names; none if the folder cannot be read.
  package static func names(in folder: String, most: Int) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < most, let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether the names in a folder can be read.
  package static func isReadableFolder(_ folder: String) -> Bool {
    access(folder, R_OK | X_OK) == 0
  }

  /// The names of the folders in a folder whose names are UTF-8, without `.` and `..`, in no order; links do not count
  /// as folders.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - most: The most names that are given.
  /// - Returns: The names; none if the folder cannot be read.
  package static func folders(in folder: String, most: Int) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < most, let entry = readdir(directory) {
      let type = Int(entry.pointee.d_type)
      guard type == Int(DT_DIR) || type == Int(DT_UNKNOWN) else { continue }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      guard let name, name != ".", name != ".." else { continue }
      if type == Int(DT_UNKNOWN), kindOfItself(join(folder, name)) != .folder { continue }
      names.append(name)
    }
    return names
  }

  /// The absolute path without links, dots and a trailing slash; `nil` if it does not exist.
  package static func realPath(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(validatingCString: found)
  }

  /// The absolute path without links of a path in bytes; `nil` if it is not there.
  static func realPath(_ path: [UInt8]) -> String? {
    (path + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        guard let found = text.baseAddress.flatMap({ realpath($0, nil) }) else { return nil }
        defer { free(found) }
        return String(cString: found)
      }
    }
  }

  /// What is in a folder, without `.` and `..`, in no order; empty if it cannot be read.
  static func entries(of folder: [UInt8]) -> [(name: [UInt8], kind: Kind)] {
    let directory = (folder + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { opendir($0) } }
    }
    guard let directory else { return [] }
    defer { closedir(directory) }
    var found: [(name: [UInt8], kind: Kind)] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == [0x2E] || name == [0x2E, 0x2E] { continue }
      let kind: Kind? =
        switch Int(entry.pointee.d_type) {
        case Int(DT_DIR): .folder
        case Int(DT_REG): .file
        case Int(DT_LNK): .link
        case Int(DT_UNKNOWN): kindOfItself(folder + [0x2F] + name)
        default: .other
        }
      if let kind { found.append((name, kind)) }
    }
    return found
  }

  /// A path within a folder; an absolute one is itself.
  package static func join(_ folder: String, _ path: String) -> String {
    if path.isEmpty { return folder }
    let slash = UInt8(ascii: "/")
    if path.utf8.first == slash { return path }
    return (folder.utf8.last == slash ? folder : folder + "/") + path
  }

  /// Whether a path is a folder or lies within it.
  package static func isWithin(_ path: String, _ folder: String) -> Bool {
    path.isSameName(as: folder)
      || path.beginsWithName(folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/")
  }
}
