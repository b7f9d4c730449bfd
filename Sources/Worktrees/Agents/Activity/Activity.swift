/// What one agent is doing, how that is known, and since when.
///
/// Without an age: two values are equal while nothing changes. ``age(at:)`` is how old the state is.
package struct Activity: Hashable, Sendable {
  /// What an agent is doing.
  package enum State: String, Sendable, CaseIterable {
    /// It thinks or uses a tool.
    case working
    /// It waits for a human.
    case needsYou = "needs_you"
    /// It is running; its work has been seen.
    case idle
    /// It has finished, and the result has not been seen.
    case doneUnseen = "done_unseen"
    /// Its process has ended.
    case ended
    /// No evidence of its state is available.
    case unknown

    /// How urgently a state needs attention; of several agents in one worktree the most urgent
    /// counts.
    package var urgency: Int {
      switch self {
      case .needsYou: 5
      case .working: 4
      case .doneUnseen: 3
      case .unknown: 2
      case .idle: 1
      case .ended: 0
      }
    }
  }

  /// What says so.
  package enum Source: String, Sendable {
    /// The log of Claude Code.
    case claudeLog = "claude_log"
    /// The own report of a running Claude Code.
    case claudeRegistry = "claude_registry"
    /// The log of Codex.
    case codexLog = "codex_log"
    /// A log in the neutral format.
    case neutralLog = "neutral_log"
    /// The process table.
    case process
    /// Nothing.
    case none
  }

  /// How sure it is.
  package enum Confidence: String, Sendable {
    /// The agent says so, or its process is gone.
    case high
    /// It follows from what the agent wrote.
    case medium
    /// It is a guess.
    case low
  }

  /// What it is doing.
  package var state: State
  /// What says so.
  package var source: Source
  /// Since when; `nil` if that is not known.
  package var since: WallTime?
  /// How sure it is.
  package var confidence: Confidence
  /// Why, in one line, if that is not plain.
  package var reason: String?

  /// An activity.
  package init(
    _ state: State,
    _ source: Source,
    since: WallTime?,
    _ confidence: Confidence,
    reason: String? = nil
  ) {
    self.state = state
    self.source = source
    self.since = since
    self.confidence = confidence
    self.reason = reason
  }

  /// How long the state holds, in milliseconds; `nil` if that is not known.
  package func age(at now: WallTime) -> Int64? { since.map { now.milliseconds(since: $0) } }
}
