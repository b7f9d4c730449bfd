/// What an agent waits for the user to answer, from its log.
package struct AgentRequest: Hashable, Sendable {
  /// What kind of answer is wanted.
  package enum Kind: String, Sendable {
    /// The permission to run a tool.
    case permission
    /// The answer to a question.
    case question
    /// The approval of a plan.
    case plan
  }

  /// What kind of answer is wanted.
  package var kind: Kind
  /// The text of the request.
  package var detail: String?
  /// Since when it waits.
  package var since: WallTime
  /// The tool call whose answer ends the wait.
  package var call: String?

  /// A request.
  package init(kind: Kind, detail: String? = nil, since: WallTime, call: String? = nil) {
    self.kind = kind
    self.detail = detail
    self.since = since
    self.call = call
  }
}
