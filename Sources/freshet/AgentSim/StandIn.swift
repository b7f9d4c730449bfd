import Agents
import Foundation

/// A process with the name of an agent, which works in a worktree and does nothing.
///
/// It is a shell that waits for a line which never comes; it ends with the program that started it.
final class StandIn: @unchecked Sendable {
  // Used by one act at a time: the stage holds it under its lock and takes it out to end it.
  private let process: Process
  private let pipe: Pipe

  /// Which process it is.
  let identity: ProcessIdentity

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - command: Its name.
  ///   - folder: Where a link with this name is put.
  ///   - directory: Its working directory.
  /// - Throws: ``AgentStageError`` if it cannot be started.
  init(_ command: String, folder: String, directory: String) throws {
    let link = folder + "/" + command
    if symlink("/bin/sh", link) != 0, errno != EEXIST {
      throw AgentStageError(description: "\(link): \(String(cString: strerror(errno)))")
    }
    process = Process()
    pipe = Pipe()
    process.executableURL = URL(filePath: link)
    process.arguments = ["-c", "read -r line"]
    process.currentDirectoryURL = URL(filePath: directory)
    process.standardInput = pipe
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw AgentStageError(description: "\(link): \(error.localizedDescription)")
    }
    let number = process.processIdentifier
    // Without a process table nothing can tell this process from a later one.
    identity = ProcessTable().identity(of: number) ?? ProcessIdentity(number: number, start: 0)
  }

  /// Ends the process and waits for its end.
  func end(isKilled: Bool) {
    kill(process.processIdentifier, isKilled ? SIGKILL : SIGTERM)
    process.waitUntilExit()
    try? pipe.fileHandleForWriting.close()
  }
}
