import Freshness
import FreshnessRuntime

/// Prints costs as one JSON object; `Benchmarks/run.py` holds them against thresholds.
///
/// One argument names what is measured: `machines`, `client` or `pollers`. Each is a process of its
/// own, so that no memory of one is counted for another.
@main
enum EngineBenchmark {
  /// The resources of one process.
  static let resources = 100_000
  /// How long polls are counted, in seconds.
  static let seconds = 12
  /// The interval of each resource.
  static let interval = Instant.Duration.seconds(10)

  static func main() async throws {
    switch CommandLine.arguments.dropFirst().first {
    case "machines":
      // Alternating, so that another load of the processor meets all three.
      var rounds: [(cycle: Double, following: Double, hash: Double)] = []
      for _ in 0..<7 {
        rounds.append(
          (
            await Machines.cycle(count: 500_000), await Machines.following(count: 500_000),
            await Machines.hash(count: 500_000)
          )
        )
      }
      let schedule = await Machines.schedule(machines: resources, cycles: 2_000_000)
      show([
        ("cycle_ns", median(rounds.map(\.cycle))),
        ("following_cycle_ns", median(rounds.map(\.following))),
        ("hash_ns", median(rounds.map(\.hash))),
        ("cycle_over_hash", median(rounds.map { $0.cycle / $0.hash })),
        ("following_over_hash", median(rounds.map { $0.following / $0.hash })),
        ("schedule_cycle_ns", schedule.nanoseconds),
        ("bytes_per_resource", schedule.bytes),
      ])
    case "client":
      show(try await Clients.run(resources: resources, seconds: seconds, interval: interval))
    case "pollers":
      let interval = interval.duration
      show(try await Pollers.run(resources: resources, seconds: seconds, interval: interval))
    default:
      print("which? machines, client or pollers")
    }
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func show(_ upkeep: Upkeep) {
    show([
      ("bytes_per_resource", upkeep.bytesPerResource),
      ("bytes_per_observer", upkeep.bytesPerObserver),
      ("us_per_poll", upkeep.microsecondsPerPoll), ("polls", Double(upkeep.polls)),
    ])
  }

  private static func show(_ figures: [(name: String, value: Double)]) {
    let members = figures.map { "\"\($0.name)\": \(($0.value * 100).rounded() / 100)" }
    print("{\(members.joined(separator: ", "))}")
  }
}
