import ArgumentParser
import Commands
import Foundation
import Workspaces
import WorkspacesServer
import WorktreeWatch

/// `freshet workspaces token`.
struct WorkspacesTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Create the token with which a machine reports to a hub.",
    discussion: """
      Prints a new token, and writes its hash into the hub's file of machines, in the place of an earlier one of that machine. \
      A hub that runs reads the file again within \(Int(ReportLimits.checkEvery)) seconds.

        umask 077
        freshet workspaces token laptop --machines-file machines > laptop-token
        freshet serve --workspaces-hub machines
      """
  )

  @Argument(help: "The name of the machine.")
  var machine: String

  @Option(
    help: ArgumentHelp("The hub's file of machines; it is created if missing.", valueName: "file")
  )
  var machinesFile: String

  @Flag(help: "Remove the machine, which revokes its token.")
  var remove = false

  @Flag(help: "Print JSON.")
  var json = false

  /// The command around it, which has a `--json` of its own and reads this one in its place.
  @ParentCommand var parent: WorkspacesCommand

  /// What was done, as JSON.
  private struct Change: Encodable {
    var machine: String
    /// The new token; `nil` if the machine was removed.
    var token: String?
  }

  func validate() throws {
    guard MachineTokens.isName(machine) else {
      throw ValidationError(
        "\"\(machine)\" is not the name of a machine: at most \(ReportLimits.nameBytes) letters, digits, dots, hyphens and underscores"
      )
    }
  }

  func run() async throws {
    // A link to the file stays one.
    let place = HostFile.realPath(machinesFile) ?? machinesFile
    let lock = try lockFolder(of: place)
    defer { close(lock) }
    try change(place)
  }

  /// Waits until no other one changes a file in the folder; closing the descriptor ends the lock.
  private func lockFolder(of place: String) throws -> Int32 {
    let folder = URL(filePath: place).deletingLastPathComponent().path
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw failure(
        "its folder cannot be opened: \(String(cString: strerror(errno)))",
        .cannotCreate
      )
    }
    let end = ContinuousClock.now.advanced(by: TokenStore.lockTimeout)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR, ContinuousClock.now < end else {
        close(descriptor)
        throw failure(
          "its folder cannot be locked: \(String(cString: strerror(code)))",
          .cannotCreate
        )
      }
      usleep(10_000)
    }
    return descriptor
  }

  /// Changes the line of the machine; the folder is locked.
  private func change(_ place: String) throws {
    var lines = try known(place)
    let count = lines.count
    lines.removeAll { $0.split { $0 == " " || $0 == "\t" }.first.map(String.init) == machine }
    guard !remove || lines.count < count else {
      throw CommandFailure(
        "freshet workspaces token: \(machinesFile) has no machine \(machine)",
        .noInput
      )
    }
    let token = (0..<4).map { _ in Self.digits(UInt64.random(in: .min ... .max)) }.joined()
    if !remove { lines.append(MachineTokens.line(machine, token: token)) }
    let text = lines.map { $0 + "\n" }.joined()
    do throws(MachineTokens.Fault) {
      _ = try MachineTokens(text)
    } catch {
      throw failure("\(error)", .badData)
    }
    try write(text, to: place)
    if json || parent.json {
      Terminal.write(try PrintedJSON.line(Change(machine: machine, token: remove ? nil : token)))
    } else if !remove {
      Terminal.write(token + "\n")
    }
  }

  private static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private func failure(_ what: String, _ exit: ProgramExit) -> CommandFailure {
    CommandFailure("freshet workspaces token: \(machinesFile): \(what)", exit)
  }

  /// The lines of the file; none if it is not there.
  private func known(_ place: String) throws -> [String] {
    guard HostFile.kind(place) != nil else { return [] }
    guard let bytes = HostFile.bytes(place, limit: ReportLimits.fileBytes) else {
      throw failure("it cannot be read", .noInput)
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Replaces the file as a whole; only its owner may read it.
  private func write(_ text: String, to place: String) throws {
    let fresh = "\(place).\(getpid()).new"
    guard
      FileManager.default.createFile(
        atPath: fresh,
        contents: Data(text.utf8),
        attributes: [.posixPermissions: 0o600]
      ), rename(fresh, place) == 0
    else {
      let reason = String(cString: strerror(errno))
      unlink(fresh)
      throw failure("it cannot be written: \(reason)", .cannotCreate)
    }
  }
}
