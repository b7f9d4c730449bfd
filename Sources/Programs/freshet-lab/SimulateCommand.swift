import ArgumentParser
import Commands
import Foundation
import FreshnessTesting
import Simulation

/// `freshet-lab simulate`.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Drive the refresh machine through seeded faults and check every rule.",
    discussion: """
      Machine, network, server, device and people are simulated on a virtual clock; an oracle that \
      states every rule a second time checks each step. A broken rule is printed with its seed and \
      the shortest trace that still breaks it. Then load, age and recovery are measured in worlds \
      without faults and compared with their goals. Equal options give equal output.

      The exit code is 0 if all is well, 1 if a rule is broken, a mutant lives or a goal is missed, \
      64 if the options are wrong, and 65 if the policy file is.

        freshet-lab simulate
        freshet-lab simulate --events 10000000 --seed 7 --mutants
      """
  )

  /// The maximum number of events of one run: an hour or so.
  private static let mostEvents = 10_000_000_000

  @Option(help: "The least number of events to check for each policy; 0 checks none.")
  var events = 1_000_000

  @Option(help: "Everything follows from the seed.")
  var seed: UInt64 = 1

  @Option(
    help: "One preset: \(NamedPolicy.presets.map(\.name).joined(separator: ", ")). Default: all."
  )
  var preset: String?

  @Option(
    help: "A JSON file with a policy to simulate instead (Documentation/conformance-vectors.md)."
  )
  var policy: String?

  @Flag(help: "Also run the mutants: machines that break one rule each, which must be caught.")
  var mutants = false

  @Flag(inversion: .prefixedNo, help: "Measure load, age and recovery, and check the goals.")
  var measures = true

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (0...Self.mostEvents).contains(events) else {
      throw ValidationError("--events is 0 to \(Self.mostEvents)")
    }
    guard preset == nil || policy == nil else {
      throw ValidationError("--preset and --policy exclude each other")
    }
    if let preset, !NamedPolicy.presets.contains(where: { $0.name == preset }) {
      let names = NamedPolicy.presets.map(\.name).joined(separator: ", ")
      throw ValidationError("--preset \"\(preset)\" is not one of \(names)")
    }
  }

  func run() throws {
    let policies = try chosen()
    let display = ProgressDisplay(isHidden: json)
    defer { display.finish() }
    let runs =
      events == 0
      ? []
      : policies.map { policy in
        Simulator.run(policy, events: events, seed: seed) { done in
          display.show(
            "simulating \(policy.name)",
            done: min(done, events),
            total: events,
            unit: .items("events")
          )
        }
      }
    if mutants { display.show("simulating mutants") }
    let verdicts = mutants ? MutantRun.all(seed: seed) : nil
    if measures { display.show("measuring") }
    let summary = SimulationSummary(
      runs: runs,
      mutants: verdicts,
      measures: measures ? MeasureReport(policies, scale: .full, seed: seed) : nil
    )
    display.finish()
    guard Terminal.write(json ? summary.json : summary.text), summary.isWell else {
      throw ExitCode(.negative)
    }
  }

  private func chosen() throws -> [NamedPolicy] {
    guard let policy else {
      return NamedPolicy.presets.filter { preset == nil || $0.name == preset }
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: policy))
    } catch {
      throw complaint(policy, "cannot be read", .noInput)
    }
    do {
      return [NamedPolicy(policy, try PolicyDocument(decoding: data).policy)]
    } catch {
      throw complaint(policy, Terminal.plain("\(error)"), .badData)
    }
  }

  private func complaint(
    _ file: String,
    _ problem: String,
    _ exit: ProgramExit
  ) -> CommandFailure {
    CommandFailure("freshet-lab simulate: \(file): \(problem)", exit)
  }
}
