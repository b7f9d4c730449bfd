import Glibc

/// A program of the machine, as the kernel starts it (execve(2)).
struct ProgramFile: Hashable, Sendable {
  /// Its path without links.
  let path: String
  /// Whether it is a script that another program interprets.
  let isScript: Bool
  /// What the kernel executes to start it: the program, its loader or its interpreters.
  let executables: [String]

  /// Finds out what starts a program; fails if it is not there or cannot be read.
  ///
  /// - Parameter path: Its path.
  init?(_ path: String) {
    guard let real = HostFile.realPath(path) else { return nil }
    var chain: [String] = []
    var next: String? = real
    var isScript = false
    // The kernel follows interpreters that are scripts no further either.
    for _ in 0..<4 {
      guard let here = next, let start = Self.start(of: here) else { break }
      chain.append(here)
      next = nil
      if start.starts(with: [0x7F, 0x45, 0x4C, 0x46]) {
        if let loader = GitProgram.loader(start) { chain.append(loader) }
        break
      }
      guard start.starts(with: [0x23, 0x21]) else { break }
      isScript = true
      let line = start.dropFirst(2).prefix { $0 != 0x0A }
      let name = line.drop { $0 == 0x20 || $0 == 0x09 }.prefix { $0 != 0x20 && $0 != 0x09 }
      next = HostFile.realPath(String(decoding: name, as: UTF8.self))
    }
    guard !chain.isEmpty else { return nil }
    self.path = real
    self.isScript = isScript
    executables = chain
  }

  /// Finds a program as `execvp(3)` does.
  ///
  /// - Parameters:
  ///   - name: Its name, or its absolute path.
  ///   - folders: The folders, as in `PATH`.
  /// - Returns: The program; `nil` if absent.
  static func find(_ name: String, in folders: String?) -> Self? {
    if name.utf8.contains(UInt8(ascii: "/")) { return name.hasPrefix("/") ? Self(name) : nil }
    return ProgramSearch.find(name, in: folders).flatMap { Self($0) }
  }

  /// The first bytes of a file, in which the headers of a program are; `nil` if it cannot be read.
  static func start(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var room = [UInt8](repeating: 0, count: 64 << 10)
    let count = read(descriptor, &room, room.count)
    return count > 0 ? Array(room.prefix(count)) : nil
  }
}
