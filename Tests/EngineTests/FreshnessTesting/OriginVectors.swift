import Foundation
import Freshness
import StrictJSON
import Testing

@testable import FreshnessTesting

/// R39: `Tests/EngineWasm/origins.json`, which the WebAssembly build runs as well.
@Suite("Origin vectors")
struct OriginVectors {
  private struct Document: Decodable {
    var origins: [Scenario]
  }

  struct Scenario: Decodable, CustomTestStringConvertible {
    var id: String
    var says: String
    var steps: [Step]

    var testDescription: String { id }
  }

  struct Step: Decodable {
    var event: String
    var number: Int64
    var priority: String?
    var isLongPoll: Bool?
    var now: Int64?
    var outcome: String?
    var retryAfterSeconds: Int64?
    var rateLimit: Limit?
    var resources: Int32?
    var send: [Int64]?
    var held: [Int64]?
    var delayed: [Int64]?
    var restraint: Expected?
  }

  struct Limit: Decodable {
    var remaining: Int64
    var reset: Int64
  }

  struct Expected: Decodable {
    var notBefore: Int64?
    var quietUntil: Int64?
    var leastInterval: Int64?
    var sharedUntil: Int64?
  }

  private static let bytes: [UInt8] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../EngineWasm/origins.json")
    return (try? Array(Data(contentsOf: file))) ?? []
  }()

  static let scenarios: [Scenario] =
    (try? JSONDecoder().decode(Document.self, from: Data(bytes)).origins) ?? []

  private static func outcome(_ step: Step) throws -> Outcome {
    switch step.outcome {
    case "unchanged": .unchanged
    case "serverError": .serverError
    case "timedOut": .timedOut
    case "unreachable": .unreachable
    case "throttled": .throttled(step.retryAfterSeconds.map { .seconds($0) })
    default: throw DocumentError(file: "origins.json", problem: step.outcome ?? "no outcome")
    }
  }

  /// The policies of the file, by identifier, as the vectors of machines write them.
  private static func policy(of id: String) throws -> Policy {
    guard case .object(let document) = try JSONReader.value(of: bytes),
      case .list(let origins)? = document["origins"]
    else { throw DocumentError(file: "origins.json", problem: "is not a list of origins") }
    for case .object(let origin) in origins where origin["id"] == .string(id) {
      let place = DocumentError(file: "origins.json", problem: "")
      return try PolicyDocument(try #require(origin["policy"]), at: place).policy
    }
    throw DocumentError(file: "origins.json", problem: "\(id) is not in it")
  }

  @Test
  func `There are vectors`() {
    #expect(Self.scenarios.count >= 7)
    #expect(Set(Self.scenarios.map(\.id)).count == Self.scenarios.count)
  }

  @Test(arguments: scenarios)
  func `An origin admits and restrains as the vectors say`(_ scenario: Scenario) throws {
    var origin = Origin(limits: Origin.Limits(policy: try Self.policy(of: scenario.id)))
    var now = Instant.start
    for (index, step) in scenario.steps.enumerated() {
      var admitted: [Origin.Admission] = []
      if let instant = step.now { now = Instant(milliseconds: instant) }
      switch step.event {
      case "asks":
        let priorities: [String: Request.Priority] = [
          "low": .low, "normal": .normal, "high": .high,
        ]
        let priority = try #require(priorities[step.priority ?? "normal"])
        origin.ask(step.number, priority: priority, isLongPoll: step.isLongPoll ?? false)
      case "ended":
        origin.ended(
          step.number,
          try Self.outcome(step),
          rateLimit: step.rateLimit.map {
            RateLimit(remaining: $0.remaining, reset: Instant.Duration(milliseconds: $0.reset))
          },
          resources: step.resources ?? 1,
          at: now
        )
      case "withdrew": origin.withdraw(step.number)
      case "opens":
        let isHeld = origin.open(step.number)
        if isHeld { admitted.append(Origin.Admission(number: step.number, isHeld: true)) }
      default: Issue.record("\(step.event) is not an event")
      }
      while let admission = origin.admit(at: now) { admitted.append(admission) }
      let place = "step \(index + 1): \(scenario.says)"
      #expect(admitted.filter { !$0.isHeld }.map(\.number) == step.send ?? [], "\(place)")
      #expect(admitted.filter(\.isHeld).map(\.number) == step.held ?? [], "\(place)")
      #expect(origin.takeBack(at: now) == step.delayed ?? [], "\(place)")
      guard let expected = step.restraint else { continue }
      let restraint = origin.restraint
      #expect(restraint.notBefore?.milliseconds == expected.notBefore, "\(place)")
      #expect(restraint.quietUntil?.milliseconds == expected.quietUntil, "\(place)")
      #expect(restraint.leastInterval?.milliseconds == expected.leastInterval, "\(place)")
      #expect(restraint.sharedUntil?.milliseconds == expected.sharedUntil, "\(place)")
    }
  }
}
