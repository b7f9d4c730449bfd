/// Everything that is known about one agent at one instant.
package struct ActivityEvidence: Hashable, Sendable {
  /// The evidence about an agent's process.
  package enum ProcessEvidence: Hashable, Sendable {
    /// Processes cannot be seen, or this one would not be.
    case unobservable
    /// The process is running.
    case alive(since: WallTime)
    /// The process is not running.
    ///
    /// - Parameters:
    ///   - noticed: When it was first missed.
    ///   - wasSeen: Whether it was there before; if not, there may never have been one to see.
    case missing(noticed: WallTime, wasSeen: Bool)
  }

  /// Which agent it is.
  package var kind: AgentKind
  /// What its log says; `nil` if only a process is known.
  package var session: AgentSession?
  /// When the file of the log was last written.
  package var writtenAt: WallTime?
  /// The evidence about its process.
  package var process: ProcessEvidence
  /// What it reports about itself; only for a running process.
  package var registry: ClaudeRegistryEntry?
  /// Until when its work has been seen.
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
