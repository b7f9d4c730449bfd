import AgentWatch
import Agents
import Foundation

/// A process with the name of an agent that runs in a worktree and does nothing.
///
/// It is a shell that waits for a line that never comes. It ends with the program that started it,
/// which holds the other end of its input.
final class StandIn: Sendable {
  /// The identity of the process.
  let identity: ProcessIdentity

  private let input: Int32

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - command: Its name.
  ///   - folder: The folder for a link with this name.
  ///   - directory: Its working directory.
  /// - Throws: ``AgentStageError`` if it cannot be started.
  init(_ command: String, folder: String, directory: String) throws(AgentStageError) {
    let link = folder + "/" + command
    if symlink("/bin/sh", link) != 0, errno != EEXIST {
      throw AgentStageError(description: "\(link): \(String(cString: strerror(errno)))")
    }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw AgentStageError(description: "pipe: \(String(cString: strerror(errno)))")
    }
    defer { close(ends[0]) }
    // No other process may hold the write end, or this one would outlive the program.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    input = ends[1]
    let (number, error) = Self.spawn(link, input: ends[0], directory: directory)
    guard let number else {
      close(ends[1])
      throw AgentStageError(description: "\(link): \(String(cString: strerror(error)))")
    }
    Self.wait(for: number, in: directory)
    // Without a process table this process cannot be distinguished from a later one.
    identity = ProcessTable().identity(of: number) ?? ProcessIdentity(number: number, start: 0)
  }

  private static func spawn(
    _ link: String,
    input: Int32,
    directory: String
  ) -> (number: pid_t?, error: Int32) {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    // Not every C library can set the working directory of a spawned process.
    let words = [link, "-c", "cd -- \"$1\" && read -r line", link, directory]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { word in strdup(word) }
    arguments.append(nil)
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin"), nil]
    defer { for text in arguments + environment { free(text) } }
    var number: pid_t = 0
    let error = posix_spawn(&number, link, &actions, nil, &arguments, &environment)
    return error == 0 ? (number, 0) : (nil, error)
  }

  /// Waits until a process runs in its directory; without a process file system it cannot be
  /// checked.
  private static func wait(for number: pid_t, in directory: String) {
    let link = "/proc/\(number)/cwd"
    for _ in 0..<1_000 {
      guard let target = ReadOnlyFiles.target(link), target != directory else { return }
      usleep(1_000)
    }
  }

  /// Ends the process and waits for it.
  func end(isKilled: Bool) {
    kill(identity.number, isKilled ? SIGKILL : SIGTERM)
    close(input)
    var status: Int32 = 0
    while waitpid(identity.number, &status, 0) < 0, errno == EINTR {}
  }
}
