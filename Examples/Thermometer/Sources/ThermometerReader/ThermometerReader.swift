import Foundation
import FreshetKit

struct Climate: Codable, Equatable, Sendable {
  var celsius: Double
  var measuredAt: Date
}

/// `ThermometerReader URL [--stream]`: prints the temperature whenever it changes.
@main
struct ThermometerReader {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count > 1, let url = URL(string: words[1]) else {
      return print("usage: ThermometerReader URL [--stream]")
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    var policy: Policy
    if words.contains("--stream") {
      policy = Policy(every: .seconds(10))
      policy.push = Policy.Push(heartbeat: .seconds(15))
    } else {
      // A long poll follows the one before, but not faster than the interval.
      policy = Policy(every: .seconds(1))
      policy.longPoll = .seconds(25)
    }
    let climate = JSONResource(url, policy: policy) { [decoder] in
      try decoder.decode(Climate.self, from: $0)
    }
    .made { $0.measuredAt }
    .eventStream(at: url.appending(path: "events"))
    for await copy in FreshnessClient().values(of: climate) {
      let line = "\(copy.value.celsius) °C, \(copy.state), \(copy.age)\n"
      FileHandle.standardOutput.write(Data(line.utf8))
    }
  }
}
