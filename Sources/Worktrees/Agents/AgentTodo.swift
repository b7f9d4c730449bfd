/// One step of an agent's plan.
package struct AgentTodo: Hashable, Sendable {
  /// The status of a step.
  package enum Status: Hashable, Sendable {
    /// Not begun.
    case pending
    /// Under way.
    case inProgress
    /// Done.
    case completed
    /// A word that is not known; kept as it is.
    case other(String)

    /// The word as agents and answers write it.
    package var word: String {
      switch self {
      case .pending: "pending"
      case .inProgress: "in_progress"
      case .completed: "completed"
      case .other(let word): word
      }
    }

    /// A status by its word.
    package init(_ word: String) {
      switch word {
      case "pending": self = .pending
      case "in_progress": self = .inProgress
      case "completed": self = .completed
      default: self = .other(word.limited(to: 64))
      }
    }
  }

  /// The step's identity: the same for the same step in every reading of the same log.
  package var id: String
  /// The step, as text.
  package var content: String
  /// Its status.
  package var status: Status
  /// How urgent it is, if the agent says so.
  package var priority: String?
}
