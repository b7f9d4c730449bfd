import Glibc

/// Memory for what is read of one process after another.
final class ProcessMemory {
  /// The target of the last link, not terminated.
  fileprivate let path = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Int(PATH_MAX),
    alignment: 1
  )
  /// The last list, with a zero at the end.
  fileprivate var list = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)

  deinit {
    path.deallocate()
    list.deallocate()
  }

  /// Doubles the memory for lists.
  fileprivate func grow() {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: list.count * 2, alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(list))
    list.deallocate()
    list = larger
  }
}

/// The folder of a process in `/proc`, held open, so that another process with its number is never mistaken for it.
///
/// What its methods return without copying is valid until the next call.
struct ProcessEntry: ~Copyable {
  /// The path of the folder.
  let path: String
  private let descriptor: Int32
  private let memory: ProcessMemory

  /// Opens a folder.
  ///
  /// - Parameters:
  ///   - path: The folder, such as `/proc/12`.
  ///   - memory: Where what is read is kept.
  init?(_ path: String, _ memory: ProcessMemory) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.path = path
    self.descriptor = descriptor
    self.memory = memory
  }

  deinit { close(descriptor) }

  /// The target of a link.
  ///
  /// - Parameter name: The link, such as `cwd`.
  /// - Returns: Its bytes; `nil` if absent, or it may not be read.
  func target(_ name: String) -> UnsafeRawBufferPointer? { target(descriptor, name) }

  /// The target of a link as text.
  func text(_ name: String) -> String? {
    target(name).map { String(decoding: $0, as: UTF8.self) }
  }

  private func target(_ folder: Int32, _ name: UnsafePointer<CChar>) -> UnsafeRawBufferPointer? {
    guard let start = memory.path.baseAddress else { return nil }
    let room = start.assumingMemoryBound(to: CChar.self)
    let count = readlinkat(folder, name, room, memory.path.count)
    return count > 0 ? UnsafeRawBufferPointer(start: start, count: count) : nil
  }

  /// Calls a closure with the target of each descriptor of the process until it returns something.
  func firstFile<Found>(_ body: (UnsafeRawBufferPointer) -> Found?) -> Found? {
    let folder = openat(descriptor, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    guard let directory = fdopendir(folder) else {
      close(folder)
      return nil
    }
    defer { closedir(directory) }
    var count = 0
    while count < WatchLimits.filesOfProcess, let entry = readdir(directory) {
      // Dots are not descriptors.
      guard entry.pointee.d_name.0 != 0x2E else { continue }
      count += 1
      let target = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { self.target(folder, $0) }
      }
      if let target, let found = body(target) { return found }
    }
    return nil
  }

  /// What the process has mapped: the content of `maps`, with a zero at the end.
  ///
  /// - Returns: The list, of a very long one the beginning; `nil` if it may not be read.
  func mappings() -> UnsafeRawBufferPointer? {
    let file = openat(descriptor, "maps", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var filled = 0
    while filled < WatchLimits.mapListBytes {
      if filled + 1 >= memory.list.count { memory.grow() }
      guard let start = memory.list.baseAddress else { return nil }
      let count = read(file, start + filled, memory.list.count - filled - 1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    memory.list[filled] = 0
    return UnsafeRawBufferPointer(rebasing: memory.list[...filled])
  }

  /// The inode of what a path leads to, relative to the process's folder and following links.
  func inode(_ name: String) -> Inode? {
    var facts = stat()
    guard fstatat(descriptor, name, &facts, 0) == 0 else { return nil }
    return Inode(facts)
  }
}

/// Identifies a file or a folder as long as it exists.
struct Inode: Hashable, Sendable {
  /// Its file system.
  let device: UInt64
  /// Its number there.
  let number: UInt64

  fileprivate init(_ facts: stat) {
    device = UInt64(facts.st_dev)
    number = UInt64(facts.st_ino)
  }

  /// Identifies what a path leads to; `nil` if nothing does.
  init?(of path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(facts)
  }
}
