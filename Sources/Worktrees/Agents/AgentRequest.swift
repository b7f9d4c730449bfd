/// What an agent waits for a human to say, as its log tells it.
package struct AgentRequest: Hashable, Sendable {
  /// What kind of answer is wanted.
  package enum Kind: String, Sendable {
    /// May a tool run?
    case permission
    /// What is meant?
    case question
    /// Is the plan right?
    case plan
  }

  /// What kind of answer is wanted.
  package var kind: Kind
  /// The words.
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
