import Freshness
import TestScale
import Testing

@Suite("Exhaustive: every sequence of events")
struct ExplorationTests {
  static let searches = [
    Exploration.Search(
      name: "common events, polling",
      policy: Exploration.small,
      steps: ExplorationStep.common,
      depth: TestScale.sized(5, long: 8),
      atLeast: TestScale.sized(1, long: 200_000)
    ),
    Exploration.Search(
      name: "common events, streaming",
      policy: Exploration.streaming,
      steps: ExplorationStep.common,
      depth: TestScale.sized(5, long: 8),
      atLeast: TestScale.sized(1, long: 450_000)
    ),
    Exploration.Search(
      name: "all events, polling",
      policy: Exploration.small,
      steps: ExplorationStep.allCases,
      depth: TestScale.sized(4, long: 6),
      atLeast: TestScale.sized(1, long: 150_000)
    ),
    Exploration.Search(
      name: "all events, streaming",
      policy: Exploration.streaming,
      steps: ExplorationStep.allCases,
      depth: TestScale.sized(4, long: 5),
      atLeast: TestScale.sized(1, long: 40_000)
    ),
    Exploration.Search(
      name: "impatience and restraint",
      policy: Exploration.patient,
      steps: ExplorationStep.impatient,
      depth: TestScale.sized(4, long: 7),
      atLeast: TestScale.sized(1, long: 20_000)
    ),
  ]

  @Test(arguments: searches)
  func `I1 to I11: no sequence of events breaks an invariant`(search: Exploration.Search) {
    let findings = search.run()
    if let fault = findings.fault { Issue.record("\(fault)") }
    #expect(findings.states >= search.atLeast)
    #expect(findings.comparisons >= TestScale.sized(10, long: 100))
  }
}

extension Exploration.Search: CustomTestStringConvertible {
  var testDescription: String { name }
}
