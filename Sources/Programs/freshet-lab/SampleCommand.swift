import ArgumentParser
import Commands
import Foundation
import SampleNetwork

/// `freshet-lab sample`.
struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Write an invented public transport network as a GTFS feed, of any size.",
    discussion: """
        freshet-lab sample --out feed
        freshet-lab sample --stops 5000 --date 2026-11-24 --out feed
      """
  )

  @Option(help: "How many stops.")
  var stops = 200

  @Option(help: "About how many stop times. Default: what suits the stops.")
  var stopTimes: Int?

  @Option(help: "The day the feed is for, YYYY-MM-DD. Default: today.")
  var date: String?

  @Option(help: "Another seed gives another network.")
  var seed: UInt64 = 1

  @Flag(help: "Lines run at night as they do by day.")
  var aroundTheClock = false

  @Option(help: "The folder to write the files to.")
  var out: String

  func validate() throws {
    guard !out.isEmpty else { throw ValidationError("--out is the folder to write to") }
  }

  func run() throws {
    let text = date ?? Self.today()
    guard let day = SampleDay(text) else {
      throw ValidationError("--date \"\(text)\" is not a date YYYY-MM-DD")
    }
    do throws(SampleError) {
      let options = SampleNetwork.Options(
        stops: stops,
        stopTimes: stopTimes,
        day: day,
        seed: seed,
        isAroundTheClock: aroundTheClock
      )
      let display = ProgressDisplay()
      defer { display.finish() }
      display.show("planning the network")
      let summary = try SampleNetwork(options: options).write(to: out) { file, rows in
        display.show("writing \(file)", done: rows, unit: .items("rows"))
      }
      display.finish()
      Terminal.write("\(summary)\n")
    } catch {
      switch error.code {
      case .stopsOutOfRange, .stopTimesOutOfRange: throw ValidationError(error.message)
      case .cannotWrite: throw CommandFailure("freshet-lab sample: \(error.message)", .cannotCreate)
      }
    }
  }

  private static func today() -> String {
    // The network's own day, regardless of the machine's time zone.
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "Europe/Zurich") ?? calendar.timeZone
    let parts = calendar.dateComponents([.year, .month, .day], from: Date())
    func pad(_ number: Int?) -> String {
      let number = number ?? 0
      return number < 10 ? "0\(number)" : "\(number)"
    }
    return "\(parts.year ?? 2000)-\(pad(parts.month))-\(pad(parts.day))"
  }
}
