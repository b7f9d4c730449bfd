/// The agents' processes, as found by one scan of the process table.
package struct ProcessSnapshot: Hashable, Sendable {
  /// One process of an agent.
  package struct Sighting: Hashable, Sendable {
    /// Which process.
    package var identity: ProcessIdentity
    /// The number of the process that started it.
    package var parent: Int32
    /// The ancestors of that process, the nearest first, as far as they were examined.
    package var ancestors: [ProcessIdentity]
    /// Which agent.
    package var kind: AgentKind
    /// Its working directory.
    package var directory: String
    /// When it started.
    package var startedAt: WallTime
    /// The folder in which its environment says that it keeps its logs; `nil` if it says nothing.
    package var home: String?
    /// The logs that it has open, where its kind keeps them open.
    package var logs: [String] = []

    /// A sighting.
    package init(
      identity: ProcessIdentity,
      parent: Int32,
      ancestors: [ProcessIdentity] = [],
      kind: AgentKind,
      directory: String,
      startedAt: WallTime
    ) {
      self.identity = identity
      self.parent = parent
      self.ancestors = ancestors
      self.kind = kind
      self.directory = directory
      self.startedAt = startedAt
    }
  }

  /// The agents' processes.
  package var sightings: [Sighting]
  /// Whether every process was examined; if not, a missing process proves nothing.
  package var isComplete: Bool

  /// The agents, and those of them that run one of their own kind through others.
  ///
  /// A child of an agent of the same kind is a part of it: a wrapper and the program it runs are one agent, and so are
  /// an agent and another one it runs in a shell, unless that works in another place.
  ///
  /// - Parameter place: The place that a directory belongs to.
  /// - Returns: The agents that are not part of another one, and those that have such a part.
  func agents(
    _ place: (_ directory: String) -> String?
  ) -> (agents: [Sighting], leaders: Set<ProcessIdentity>) {
    let kinds = Dictionary(
      sightings.map { ($0.identity.number, $0.kind) },
      uniquingKeysWith: { first, _ in first }
    )
    let known = Dictionary(
      sightings.map { ($0.identity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var agents: [Sighting] = []
    var leaders: Set<ProcessIdentity> = []
    for sighting in sightings where kinds[sighting.parent] != sighting.kind {
      let above = sighting.ancestors.filter { ancestor in
        guard let leader = known[ancestor], leader.kind == sighting.kind else { return false }
        return place(leader.directory) == place(sighting.directory)
      }
      if above.isEmpty { agents.append(sighting) }
      leaders.formUnion(above)
    }
    return (agents, leaders)
  }

  /// Creates a snapshot.
  package init(sightings: [Sighting], isComplete: Bool) {
    self.sightings = sightings
    self.isComplete = isComplete
  }
}
