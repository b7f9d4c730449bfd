import AgentSimulation
import AgentWatch
import Agents
import ArgumentParser
import Commands
import Foundation

/// `freshet-lab agent-sim`.
struct AgentSimCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agent-sim",
    abstract: "Play coding agents, so that workspaces can be seen without any.",
    discussion: """
      Each agent gets a process that works in its worktree and does nothing, and a log as the real \
      one writes it: prompts, thoughts, tools, plans, questions, permissions, failures. Agents are \
      interrupted, closed, killed in the midst of a line and started again. The same seed gives \
      the same lives.

      All logs stand below --home, never in the folders of real agents. Worktrees are changed only \
      with --edit, and committed only with --commit.

      The truth is printed as JSON Lines: what each agent does from which moment on. With --check \
      the driver of the server watches at the same time, and what it shows is compared with the \
      truth; the exit code is 1 if a state is wrong for longer than --slack.

        freshet-lab agent-sim --worktrees project project-feature --home agents --edit
      """
  )

  /// The maximum number of agents, each of which is a process.
  private static let mostAgents = 256
  /// The longest simulation, in minutes of the agents' time.
  private static let longest = 10_080.0

  @Option(parsing: .upToNextOption, help: "The worktrees in which agents work.")
  var worktrees: [String]

  @Option(help: "The folder for all logs; made if it is not there.")
  var home: String

  @Option(help: "How many agents. Default: one in each worktree.")
  var count: Int?

  @Option(
    help: """
      What they are, separated by commas: \
      \(AgentDialect.allCases.map(\.rawValue).joined(separator: ", ")). Default: those whose logs \
      tell everything at once.
      """
  )
  var agents: String?

  @Option(help: "How long, in minutes of the agents' time.")
  var minutes = 60.0

  @Option(help: "How many times faster than real agents they live.")
  var pace = 60.0

  @Option(help: "Everything follows from the seed.")
  var seed: UInt64 = 1

  @Option(help: "A file for the truth, at whose end it is written; - for standard output.")
  var truth = "-"

  @Flag(help: "Let agents change files of the worktrees.")
  var edit = false

  @Flag(help: "Let agents commit what they changed.")
  var commit = false

  @Flag(help: "Watch, and compare what is shown with the truth.")
  var check = false

  @Option(help: "For how many milliseconds --check lets the state before a change be shown.")
  var slack: Int64 = 1_000

  func validate() throws {
    guard !worktrees.isEmpty else { throw ValidationError("--worktrees needs a folder") }
    guard (1...Self.mostAgents).contains(count ?? worktrees.count) else {
      throw ValidationError("there can be 1 to \(Self.mostAgents) agents")
    }
    guard minutes > 0, minutes <= Self.longest else {
      throw ValidationError("--minutes is more than 0 and at most \(Quantity.plain(Self.longest))")
    }
    guard pace >= 0.1, pace <= 3_600 else { throw ValidationError("--pace is 0.1 to 3600") }
    guard (0...600_000).contains(slack) else { throw ValidationError("--slack is 0 to 600000") }
    guard !check || (count ?? worktrees.count) <= worktrees.count else {
      throw ValidationError("--check needs a worktree for each agent")
    }
    _ = try dialects()
  }

  private func dialects() throws -> [AgentDialect] {
    guard let agents else { return AgentDialect.allCases.filter(\.tellsEverything) }
    return try agents.split(separator: ",", omittingEmptySubsequences: false).map { name in
      guard let dialect = AgentDialect(rawValue: String(name)) else {
        let names = AgentDialect.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--agents \"\(name)\" is not one of \(names)")
      }
      return dialect
    }
  }

  func run() async throws {
    let stage: AgentStage
    do throws(AgentStageError) {
      stage = try AgentStage(
        home: home,
        truth: truth,
        edits: edit || commit,
        commits: commit
      )
    } catch {
      try fail(error.description, .cannotCreate)
    }
    let simulation = AgentSimulation(
      worktrees: try worktrees.map { try folder($0) },
      dialects: try dialects(),
      count: count,
      seed: seed,
      startsAt: AgentWatch.systemClock(),
      minutes: minutes,
      pace: pace
    )
    let judge = check ? AgentJudge(stage.folders, simulation, slack: slack) : nil
    let player = Task {
      do {
        try await stage.play(simulation) { judge?.note($0) }
      } catch let error as AgentStageError {
        try fail(error.description, .inputOutput)
      }
    }
    let signals = EndSignals { player.cancel() }
    defer { signals.stop() }
    let result = await player.result
    judge?.stop()
    stage.end()
    if case .failure(let error) = result, !(error is CancellationError) { throw error }
    guard let judge else { return }
    Terminal.complain(judge.summary)
    guard judge.isContent else { throw ExitCode(.negative) }
  }

  private func folder(_ path: String) throws -> String {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { try fail("--worktrees \(path): there is no such folder", .noInput) }
    return URL(filePath: path).resolvingSymlinksInPath().path
  }

  private func fail(_ reason: String, _ exit: ProgramExit) throws -> Never {
    throw CommandFailure("freshet-lab agent-sim: \(reason)", exit)
  }
}
