import ArgumentParser
import Commands
import StationboardServer

/// The program: servers, boards, imports and clients in one binary.
@main
struct Freshet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freshet",
    abstract: "Departure boards from GTFS that say how old they are.",
    discussion: """
        freshet import gtfs.zip
        freshet serve --trip-updates https://example.org/trip-updates.pb
        freshet board Central
      """,
    version: StationboardService.version,
    groupedSubcommands: [
      CommandGroup(name: "Server", subcommands: [ServeCommand.self, MigrateCommand.self]),
      CommandGroup(
        name: "Board",
        subcommands: [
          BoardCommand.self, ImportCommand.self, FeedsCommand.self, DoctorCommand.self,
          ReportCommand.self,
        ]
      ),
      CommandGroup(name: "Worktree", subcommands: [WorkspacesCommand.self]),
      CommandGroup(
        name: "Job",
        subcommands: [JobsCommand.self, LibraryCommand.self, CatalogueCommand.self]
      ),
      CommandGroup(
        name: "Other",
        subcommands: [
          BackupCommand.self, RestoreCommand.self, WatchCommand.self, DemoCommand.self,
        ]
      ),
    ]
  )

  static func main() async { await runAndExit() }
}
