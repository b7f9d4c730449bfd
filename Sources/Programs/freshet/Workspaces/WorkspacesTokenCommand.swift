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
    abstract: "Make the token with which a machine reports to a hub.",
    discussion: """
      Prints a new token, and writes its hash into the hub's file of machines, in the place of an earlier one of that machine. \
      A hub that runs reads the file again within \(Int(ReportLimits.checkEvery)) seconds.

        freshet workspaces token laptop --machines-file machines > laptop-token
        freshet serve --workspaces-hub machines
      """
  )

  @Argument(help: "The name of the machine.")
  var machine: String

  @Option(
    help: ArgumentHelp("The hub's file of machines; it is made if need be.", valueName: "file")
  )
  var machinesFile: String

  @Flag(help: "Remove the machine: its token is good no more.")
  var remove = false

  func validate() throws {
    guard MachineTokens.isName(machine) else {
      throw ValidationError(
        "\"\(machine)\" is not the name of a machine: at most \(ReportLimits.nameBytes) letters, digits, dots, hyphens and underscores"
      )
    }
  }

  func run() async throws {
    var lines = try known()
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
    try write(text)
    if !remove { Terminal.write(token + "\n") }
  }

  private static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private func failure(_ what: String, _ exit: ProgramExit) -> CommandFailure {
    CommandFailure("freshet workspaces token: \(machinesFile): \(what)", exit)
  }

  /// The lines of the file; none if it is not there.
  private func known() throws -> [String] {
    guard HostFile.kind(machinesFile) != nil else { return [] }
    guard let bytes = HostFile.bytes(machinesFile, limit: ReportLimits.fileBytes) else {
      throw failure("it cannot be read", .noInput)
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Replaces the file as a whole; only its owner may read it.
  private func write(_ text: String) throws {
    let fresh = "\(machinesFile).\(getpid()).new"
    guard
      FileManager.default.createFile(
        atPath: fresh,
        contents: Data(text.utf8),
        attributes: [.posixPermissions: 0o600]
      ), rename(fresh, machinesFile) == 0
    else {
      let reason = String(cString: strerror(errno))
      unlink(fresh)
      throw failure("it cannot be written: \(reason)", .cannotCreate)
    }
  }
}
