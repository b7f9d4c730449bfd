import ArgumentParser
import Commands
import StationboardServer

/// The program that plays and proves: sample data, simulated producers, agents and clients, recordings and reports.
@main
struct FreshetLab: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freshet-lab",
    abstract: "Sample data, simulators, recordings and reports for Freshet.",
    version: StationboardService.version,
    subcommands: [
      DemoCommand.self, SampleCommand.self, FeedCommand.self, AgentSimCommand.self,
      CrowdCommand.self,
      CompatCommand.self, RecordCommand.self, ReportCommand.self, SimulateCommand.self,
    ]
  )

  static func main() async { await runAndExit() }
}
