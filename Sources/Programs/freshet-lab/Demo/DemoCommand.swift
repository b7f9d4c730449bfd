import ArgumentParser
import Commands
import Demonstration
import Foundation
import Logging
import Serving

/// `freshet-lab demo`.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: DemoText.abstract,
    discussion: DemoText.discussion
  )

  @OptionGroup var options: DemoOptions

  @Option(help: "The path of freshet. Default: beside this program, else in PATH.")
  var program: String?

  func validate() throws {
    for (name, number, limits) in [
      ("--stops", options.stops, DemoLimits.stops), ("--agents", options.agents, DemoLimits.agents),
      ("--books", options.books, BookList.sizes),
    ] where !limits.contains(number) {
      throw ValidationError("\(name) is \(limits.lowerBound) to \(limits.upperBound)")
    }
    let periods = DemoLimits.period
    guard periods.contains(options.period) else {
      throw ValidationError(
        "--period is \(Quantity.plain(periods.lowerBound)) to \(Quantity.plain(periods.upperBound)) seconds"
      )
    }
  }

  func run() async throws {
    LogFormat.text.start(level: .critical)
    let budget = DescriptorBudget.raised()
    if let shortage = budget.shortage(DescriptorBudget.leastOfServer) {
      throw CommandFailure("freshet-lab demo: \(shortage)", .system)
    }
    let programs = try DemoPrograms(freshet: program)
    let folder = try DemoFolder(options.folder)
    let stand = DemoStand(options: options, programs: programs, folder: folder)
    let task = Task { try await stand.run() }
    let signals = DemoSignals {
      task.cancel()
    } atOnce: {
      folder.killChildren()
      if !options.keep { folder.remove() }
    }
    defer { signals.stop() }
    let result = await task.result
    if options.keep {
      Terminal.announce("\nKept: \(folder.path)\n")
    } else if folder.remove() {
      Terminal.announce("\nRemoved \(folder.path)\n")
    } else {
      Terminal.complain(
        "freshet-lab demo: \(folder.path) could not be removed; remove it yourself\n"
      )
    }
    if case .failure(let error) = result, !(error is CancellationError) { throw error }
  }
}
