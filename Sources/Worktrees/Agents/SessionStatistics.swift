/// Numbers about a session.
package struct SessionStatistics: Hashable, Sendable {
  /// Records of the human's side, tool results among them.
  package var userMessages = 0
  /// Records of the agent's side.
  package var assistantMessages = 0
  /// Prompts a human wrote.
  package var prompts = 0
  /// Tool calls.
  package var toolCalls = 0
  /// Blocks of thought.
  package var thoughts = 0
  /// How often the context was compacted.
  package var compactions = 0
  /// Agents that were sent off by this one.
  package var subAgents = 0
  /// Images.
  package var images = 0
  /// Answers of the model.
  package var answers = 0

  /// None.
  package init() {}
}
