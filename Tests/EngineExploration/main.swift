// Explores every sequence of all events of the engine up to a depth; see Scripts/explore-engine.

/// A search that broke an invariant.
struct BrokenInvariant: Error {}

let depth = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8
for (name, policy) in [("polling", Exploration.small), ("streaming", Exploration.streaming)] {
  let search = Exploration.Search(
    name: name,
    policy: policy,
    steps: ExplorationStep.allCases,
    depth: depth,
    atLeast: 1
  )
  print("all events, \(name)")
  let clock = ContinuousClock()
  let began = clock.now
  let findings = search.run { depth, findings in
    print(
      "  depth \(depth): \(findings.states) states, \(findings.turns) events,",
      "\(findings.comparisons) comparisons, \((clock.now - began).components.seconds) s"
    )
  }
  if let fault = findings.fault {
    print("  broken: \(fault)")
    throw BrokenInvariant()
  }
}
