import Commands
import Foundation
import Workspaces
import WorkspacesClient
import WorkspacesTerminal

/// What can be taken back, what is not shown, and which machines report, as text or JSON.
struct RestoreText {
  let client: WorkspaceClient
  let json: Bool

  /// Does what the options of a command ask for.
  ///
  /// - Throws: ``CommandFailure`` if the server does not do it.
  func print(_ command: WorkspacesCommand) async throws(CommandFailure) {
    do throws(WorkspaceFailure) {
      if let id = command.restore {
        let message = try await client.make(.restore(id))
        _ = Terminal.write(Terminal.plain(message) + "\n")
      } else if command.machines {
        write(try await client.machines(), Self.line)
      } else if command.omissions {
        let found = try await client.omissions()
        write(found) { "\($0.reason.rawValue)  \($0.detail)" }
      } else {
        write(try await client.restorePoints(), Self.line)
      }
    } catch {
      throw CommandFailure(
        "freshet workspaces: \(Terminal.plain(error.description))",
        ProgramExit(error)
      )
    }
  }

  private static func line(_ point: RestorePoint) -> String {
    let what =
      switch point.kind {
      case .delete: "\(point.path) was deleted"
      case .merge: "something was merged into \(point.branch ?? "HEAD") in \(point.path)"
      case .sync: "\(point.branch ?? "HEAD") in \(point.path) took its source in"
      default: "\(point.branch ?? "HEAD") in \(point.path): \(point.kind.rawValue)"
      }
    return "\(point.id)  \(point.createdAt)  \(what); kept until \(point.keptUntil)"
  }

  private static func line(_ machine: MachineStatus) -> String {
    let age = machine.age.map { "\(StateStyle.longAge(Double($0) / 1_000)) old" }
    let facts = [
      machine.worktrees == 1 ? "1 worktree" : "\(machine.worktrees) worktrees",
      machine.omitted > 0 ? "\(machine.omitted) not shown" : nil,
      age, machine.unreachableSince.map { "unreachable since \($0)" }, machine.detail,
    ]
    return "\(machine.name)  \(machine.state.rawValue)  "
      + facts.compactMap(\.self).joined(separator: ", ")
  }

  private func write<Value: Encodable>(_ values: [Value], _ line: (Value) -> String) {
    if json {
      Terminal.write((try? PrintedJSON.line(values)) ?? "[]\n")
    } else {
      for value in values { _ = Terminal.write(Terminal.plain(line(value)) + "\n") }
    }
  }
}
