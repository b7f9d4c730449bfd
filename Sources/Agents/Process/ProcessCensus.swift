/// The agents' processes, as one look at the process table found them.
package struct ProcessCensus: Hashable, Sendable {
  /// One process of an agent.
  package struct Sighting: Hashable, Sendable {
    /// Which process.
    package var identity: ProcessIdentity
    /// The number of the process that started it.
    package var parent: Int32
    /// Which agent.
    package var kind: AgentKind
    /// Its working directory.
    package var directory: String
    /// When it started.
    package var startedAt: WallTime

    /// A sighting.
    package init(
      identity: ProcessIdentity,
      parent: Int32,
      kind: AgentKind,
      directory: String,
      startedAt: WallTime
    ) {
      self.identity = identity
      self.parent = parent
      self.kind = kind
      self.directory = directory
      self.startedAt = startedAt
    }
  }

  /// The agents' processes.
  package var sightings: [Sighting]
  /// Whether every process was looked at; if not, a process that is missing proves nothing.
  package var isComplete: Bool

  /// The processes without those an agent of the same kind started: a wrapper and what it runs are
  /// one agent, and so are an agent and its sub-agents.
  var agents: [Sighting] {
    let kinds = Dictionary(
      sightings.map { ($0.identity.number, $0.kind) },
      uniquingKeysWith: { first, _ in first }
    )
    return sightings.filter { kinds[$0.parent] != $0.kind }
  }

  /// A census.
  package init(sightings: [Sighting], isComplete: Bool) {
    self.sightings = sightings
    self.isComplete = isComplete
  }
}
