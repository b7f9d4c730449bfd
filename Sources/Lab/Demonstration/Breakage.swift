package import FeedSimulation

/// What is broken at an instant, and what that means for each part of a demonstration.
///
/// A value: a driver compares it with the one before, and carries out ``steps(from:)``.
package struct Breakage: Hashable, Sendable {
  /// How the server runs.
  package enum Server: Hashable, Sendable {
    /// With all of its processor time.
    case running
    /// With a twentieth of it.
    case slow
    /// Not at all.
    case killed
  }

  /// One thing to do.
  package enum Step: Hashable, Sendable {
    /// Let the producer be in trouble, or in none.
    case producer(FeedTrouble?)
    /// Stop the agents, or let them continue.
    case agents(areFrozen: Bool)
    /// Let git hang in the repository, or not.
    case git(hangs: Bool)
    /// Let nothing pass between browser and server, or everything.
    case network(isCut: Bool)
    /// Let the server run in another way.
    case server(Server)
  }

  /// What is broken.
  package private(set) var faults: Set<Fault>

  /// A state; by default everything is whole.
  package init(_ faults: Set<Fault> = []) { self.faults = faults }

  /// Breaks a thing, or mends it.
  package mutating func set(_ fault: Fault, isBroken: Bool) {
    if isBroken { faults.insert(fault) } else { faults.remove(fault) }
  }

  /// The trouble of the producer: of several the one that leaves the least.
  package var producer: FeedTrouble? {
    if faults.contains(.producerDown) { return .unavailable }
    if faults.contains(.halfFeed) { return .half }
    return faults.contains(.producerClock) ? .ahead(Fault.clockAhead) : nil
  }

  /// How the server runs: a killed one is not slow.
  package var server: Server {
    if faults.contains(.serverKilled) { return .killed }
    return faults.contains(.serverSlow) ? .slow : .running
  }

  /// Whether what the server knows reaches the pages.
  package var reachesPages: Bool { !faults.contains(.networkCut) && server != .killed }

  /// The steps from another state to this one: what breaks the way to the page is done last and mended first,
  /// so that a page sees either the state before or this one.
  package func steps(from before: Breakage) -> [Step] {
    var inner: [Step] = []
    if producer != before.producer { inner.append(.producer(producer)) }
    for (fault, step) in [
      (Fault.agentsFrozen, { Step.agents(areFrozen: $0) }),
      (.gitHangs, { .git(hangs: $0) }),
    ] where faults.contains(fault) != before.faults.contains(fault) {
      inner.append(step(faults.contains(fault)))
    }
    let server: [Step] = self.server == before.server ? [] : [.server(self.server)]
    let isCut = faults.contains(.networkCut)
    let network: [Step] =
      isCut == before.faults.contains(.networkCut) ? [] : [.network(isCut: isCut)]
    return reachesPages ? server + network + inner : inner + server + network
  }
}
