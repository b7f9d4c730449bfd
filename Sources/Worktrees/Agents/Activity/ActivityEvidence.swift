/// Everything that is known about one agent at one moment.
package struct ActivityEvidence: Hashable, Sendable {
  /// What is known of an agent's process.
  package enum ProcessEvidence: Hashable, Sendable {
    /// Processes cannot be seen, or this one would not be.
    case unobservable
    /// It is there.
    case alive(since: WallTime)
    /// It is not there.
    ///
    /// - Parameters:
    ///   - noticed: When it was missed first.
    ///   - wasSeen: Whether it was there before; if not, there may never have been one to see.
    case missing(noticed: WallTime, wasSeen: Bool)
  }

  /// Which agent it is.
  package var kind: AgentKind
  /// What its log says; `nil` if only a process is known.
  package var session: AgentSession?
  /// When the file of the log was last written.
  package var writtenAt: WallTime?
  /// What is known of its process.
  package var process: ProcessEvidence
  /// What it says of itself; only of a process that is there.
  package var registry: ClaudeRegistryEntry?
  /// Until when somebody has looked at what it did.
  package var seenAt: WallTime?

  /// Evidence.
  package init(
    kind: AgentKind,
    session: AgentSession?,
    writtenAt: WallTime? = nil,
    process: ProcessEvidence = .unobservable,
    registry: ClaudeRegistryEntry? = nil,
    seenAt: WallTime? = nil
  ) {
    self.kind = kind
    self.session = session
    self.writtenAt = writtenAt
    self.process = process
    self.registry = registry
    self.seenAt = seenAt
  }
}
