import AgentWatch
import Agents
import Commands
import Foundation
import Synchronization

/// The folder of a demonstration, with everything that it makes.
///
/// Its lock is held for as long as the demonstration runs. It lists the processes that were started, so that what is
/// left of a demonstration that was killed can be ended and removed by the next one.
final class DemoFolder: Sendable {
  /// The path.
  let path: String

  private static let marker = ".freshet-demo"
  /// How often a removal is tried.
  private static let removals = 20
  private let lock: Int32
  private let children = Mutex<Set<ProcessIdentity>>([])

  /// Takes a folder: a new or an empty one, or one that a demonstration has left, which is emptied.
  ///
  /// - Parameter path: The path; `nil` for a folder of this user among the temporary files.
  /// - Throws: ``CommandFailure`` for any other folder, and for one that a demonstration uses.
  init(_ path: String?) throws {
    let usual = FileManager.default.temporaryDirectory.path + "/freshet-demo-\(getuid())"
    let path = URL(filePath: path ?? usual).standardizedFileURL.path
    self.path = path
    func fail(_ reason: String, _ exit: ProgramExit = .cannotCreate) -> CommandFailure {
      CommandFailure("freshet-lab demo: \(path): \(reason)", exit)
    }
    func reason() -> String { String(cString: strerror(errno)) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw fail(reason()) }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw fail(reason()) }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else {
      throw fail("is not a folder of your own; choose another with --folder")
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    guard names.isEmpty || names.contains(Self.marker) else {
      throw fail("has files that no demonstration made; choose another folder with --folder")
    }
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let lock = open("\(path)/\(Self.marker)", flags, 0o600)
    guard lock >= 0 else { throw fail("\(Self.marker): \(reason())") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw fail(
        "another demonstration runs there; end it with Ctrl-C, or choose another folder with --folder",
        .unavailable
      )
    }
    self.lock = lock
    if names.count > 1 { clean() }
  }

  deinit { close(lock) }

  /// The path of a file or folder in it.
  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// The folder with the repository and its worktrees.
  var work: String { self("work") }

  // MARK: Processes

  /// Notes a process that was started.
  func note(_ child: ChildProcess) {
    children.withLock { children in
      children.insert(child.identity)
      write(children)
    }
  }

  /// Forgets a process that has ended.
  func forget(_ child: ChildProcess) {
    children.withLock { children in
      children.remove(child.identity)
      write(children)
    }
  }

  /// Kills the processes that have not ended.
  func killChildren() {
    for child in children.withLock(\.self) { Self.kill(child) }
  }

  private func write(_ children: Set<ProcessIdentity>) {
    let text = children.map { "\($0.number) \($0.start)\n" }.joined()
    try? Data(text.utf8).write(to: URL(filePath: self("processes")), options: .atomic)
  }

  /// Kills a process, unless its number is another's by now.
  @discardableResult
  private static func kill(_ child: ProcessIdentity) -> Bool {
    guard ProcessTable().identity(of: child.number) == child else { return false }
    return Glibc.kill(child.number, SIGKILL) == 0
  }

  // MARK: Removal

  /// Ends and removes what a demonstration has left that was killed.
  private func clean() {
    let text = (try? String(contentsOfFile: self("processes"), encoding: .utf8)) ?? ""
    let left = text.split(separator: "\n").compactMap { line -> ProcessIdentity? in
      let words = line.split(separator: " ")
      guard words.count == 2, let number = Int32(words[0]), let start = UInt64(words[1]) else {
        return nil
      }
      return ProcessIdentity(number: number, start: start)
    }
    let killed = left.filter { Self.kill($0) }.count
    empty()
    Terminal.announce(
      "Removed what an earlier demonstration left in \(path); processes that were still running: \(killed)\n"
    )
  }

  /// Removes everything but the marker; returns whether that is gone.
  @discardableResult
  private func empty() -> Bool {
    ScratchRepository.release(in: work)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    for name in names where name != Self.marker {
      try? FileManager.default.removeItem(atPath: self(name))
    }
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []) == [Self.marker]
  }

  /// Removes it.
  ///
  /// - Returns: Whether it is gone.
  @discardableResult
  func remove() -> Bool {
    // A process that is just being killed may still write.
    for _ in 0..<Self.removals {
      // The marker goes last: without it the rest could not be recognized.
      if empty(), (try? FileManager.default.removeItem(atPath: path)) != nil { return true }
      usleep(50_000)
    }
    return !FileManager.default.fileExists(atPath: path)
  }
}
