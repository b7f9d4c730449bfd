import ArgumentParser
import StationboardServer

/// The program: server, boards, importer and sample data in one binary.
@main
struct Freshet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freshet",
    abstract: "Departure boards from GTFS that say how old they are.",
    version: StationboardService.version,
    subcommands: [
      ImportCommand.self, ServeCommand.self, BoardCommand.self, WatchCommand.self,
      FeedCommand.self, RecordCommand.self, ReportCommand.self, JobsCommand.self,
      SampleCommand.self, SimulateCommand.self, LibraryCommand.self, CatalogueCommand.self,
      WorkspacesCommand.self, AgentSimCommand.self,
    ]
  )
}
