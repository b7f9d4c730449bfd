import ArgumentParser
import Serving
import StationboardServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The program: server, boards, importer and sample data in one binary.
@main
struct Freshet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freshet",
    abstract: "Departure boards from GTFS that say how old they are.",
    version: StationboardService.version,
    subcommands: [
      ImportCommand.self, ServeCommand.self, BoardCommand.self, WatchCommand.self,
      FeedCommand.self, FeedsCommand.self, RecordCommand.self, ReportCommand.self, JobsCommand.self,
      SampleCommand.self, SimulateCommand.self, CrowdCommand.self, LibraryCommand.self,
      CatalogueCommand.self,
      WorkspacesCommand.self, AgentSimCommand.self, CompatCommand.self,
    ]
  )

  static func main() async {
    do {
      var command = try parseAsRoot()
      if let shortage = DescriptorBudget.raised().shortage(DescriptorBudget.leastOfAny) {
        Terminal.complain("freshet: \(shortage)\n")
        leave(1)
      }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      leave(0)
    } catch {
      let code = exitCode(for: error)
      let message = fullMessage(for: error)
      fflush(nil)
      if !message.isEmpty, code.isSuccess { Terminal.write(message + "\n") }
      if !message.isEmpty, !code.isSuccess { Terminal.complain(message + "\n") }
      leave(code.rawValue)
    }
  }

  /// Ends the process without exit handlers, because event loops and pool threads still use what
  /// exit handlers release.
  private static func leave(_ code: Int32) -> Never {
    TerminalSession.giveBack()
    fflush(nil)
    _exit(code)
  }
}
