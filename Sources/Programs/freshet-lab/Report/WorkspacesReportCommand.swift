import ArgumentParser
import Commands
import Foundation
import ParityReport

/// `freshet-lab report workspaces`.
struct WorkspacesReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workspaces",
    abstract: "Make the tables of seed 003 from recordings of freshet workspaces, and judge them.",
    discussion: """
      A recording is what freshet workspaces --watch --record writes; the truth is what freshet-lab agent-sim \
      --truth wrote meanwhile. One recording shows polling (--no-stream), another the stream; with \
      --background a client polls at the background rate. What none of them shows fails its gate. The \
      exit code is 0 if every gate is passed, 1 if one is not, 65 or 66 if a file cannot be used, and 64 \
      if the options are wrong. Documentation/reports.md has every gate.

        freshet-lab report workspaces polling.jsonl stream.jsonl --truth truth.jsonl
      """
  )

  @Argument(help: "Recordings, JSON Lines.")
  var files: [String]

  @Option(help: "What agents did, JSON Lines. May be given several times.")
  var truth: [String] = []

  @Option(help: "Write the report to a JSON file as well.")
  var json: String?

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("say which recordings") }
  }

  func run() throws {
    let truths = try truth.map { path in
      let bytes = try ReportFile.bytes(path, most: WorkspaceReportLimits.mostTruth)
      let truth = AgentGroundTruth(name: path, bytes)
      guard !truth.changes.isEmpty else {
        let first = truth.broken.first.map { "; line \($0.line): \($0.problem)" } ?? ""
        try ReportFile.fail("\(path): no line tells of a change\(first)")
      }
      return truth
    }
    let report = WorkspacesReport(try files.map { try ReportFile.recording($0) }, truths)
    if let json {
      do {
        try Data(WorkspacesText.json(report).utf8)
          .write(to: URL(fileURLWithPath: json), options: .atomic)
      } catch {
        try ReportFile.fail(
          "\(json): cannot be written: \(error.localizedDescription)",
          .cannotCreate
        )
      }
    }
    guard Terminal.write(WorkspacesText.text(report)) else { throw ExitCode(.inputOutput) }
    guard report.isPassed else { throw ExitCode(.negative) }
  }
}
