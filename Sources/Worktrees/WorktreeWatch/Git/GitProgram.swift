import Glibc
import Synchronization

/// The git of this machine: where it is, and what it needs to run.
struct GitProgram: Hashable, Sendable {
  /// Its path.
  var path: String
  /// The folder of its commands.
  var commands: String
  /// The program that loads it; `nil` if it needs none.
  var loader: String?
  /// Whether ``path`` is a program of the machine and not a script that starts one.
  var isBinary: Bool

  /// Finds git once, and again if it is gone.
  final class Finder: Sendable {
    private let found = Mutex<GitProgram?>(nil)
    private let folders: String?

    /// Creates a finder.
    ///
    /// - Parameter folders: The folders to search, as in `PATH`.
    init(folders: String?) { self.folders = folders }

    /// Returns the git of this machine; blocks while searching for it.
    ///
    /// - Throws: ``GitRunner/Failure/notStarted(_:)`` if git is not installed.
    func program() throws(GitRunner.Failure) -> GitProgram {
      if let known = found.withLock({ $0 }), access(known.path, X_OK) == 0 { return known }
      guard let path = ProgramSearch.find("git", in: folders) else {
        throw .notStarted("there is no git in \(folders ?? "PATH")")
      }
      let program = GitProgram(path)
      found.withLock { $0 = program }
      return program
    }
  }

  private init(_ path: String) {
    self.path = path
    let real = HostFile.realPath(path) ?? path
    let start = ProgramFile.start(of: real) ?? []
    isBinary = start.starts(with: [0x7F, 0x45, 0x4C, 0x46])
    loader = Self.loader(start)
    let answer = try? GitProcess(
      GitProcess.Start(
        path: path,
        arguments: ["git", "--exec-path"],
        environment: [Array("PATH=/usr/bin:/bin".utf8)],
        folder: "/",
        timeout: WatchLimits.stateTimeout
      )
    ).follow()
    commands = answer.map(\.text).flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/usr/lib/git-core"
  }

  /// The path in the header PT_INTERP of a program (elf(5)).
  static func loader(_ bytes: [UInt8]) -> String? {
    func number(_ place: Int, _ size: Int) -> Int? {
      guard place >= 0, place + size <= bytes.count else { return nil }
      let isBig = bytes[5] == 2
      return bytes[place..<place + size].enumerated().reduce(into: 0) { sum, each in
        let shift = 8 * (isBig ? size - 1 - each.offset : each.offset)
        sum |= shift < 56 ? Int(each.element) << shift : 0
      }
    }
    guard bytes.count > 64, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return nil }
    let isWide = bytes[4] == 2
    guard let table = isWide ? number(32, 8) : number(28, 4),
      let size = number(isWide ? 54 : 42, 2), let count = number(isWide ? 56 : 44, 2)
    else { return nil }
    for index in 0..<count {
      let header = table + index * size
      guard number(header, 4) == 3, let start = number(header + (isWide ? 8 : 4), isWide ? 8 : 4),
        let length = number(header + (isWide ? 32 : 16), isWide ? 8 : 4),
        length > 0, start + length <= bytes.count
      else { continue }
      return String(decoding: bytes[start..<start + length].prefix { $0 != 0 }, as: UTF8.self)
    }
    return nil
  }
}
