import ArgumentParser
import Commands
import StationboardServer

/// The program: servers, boards, imports and clients in one binary.
@main
struct Freshet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freshet",
    abstract: "Departure boards from GTFS that say how old they are.",
    version: StationboardService.version,
    subcommands: [
      ImportCommand.self, ServeCommand.self, BoardCommand.self, WatchCommand.self,
      FeedsCommand.self, DoctorCommand.self, ReportCommand.self, JobsCommand.self,
      LibraryCommand.self,
      CatalogueCommand.self, WorkspacesCommand.self,
    ]
  )

  static func main() async { await runAndExit() }
}
