/// Assigns stable identities to the steps of a plan, for agents that rewrite the whole plan without
/// identities.
///
/// A step keeps its identity while its words stay; a step whose words change in place keeps it too,
/// if no other step has these words. Identities depend on the plans alone, so reading a log again
/// gives the same ones.
struct TodoRegistry: Hashable, Sendable {
  /// A step without identity.
  struct Draft: Hashable, Sendable {
    /// The identity the agent gave.
    var id: String?
    /// The step, as text.
    var content: String
    /// Its status.
    var status: AgentTodo.Status
    /// How urgent it is.
    var priority: String?
  }

  private var last: [AgentTodo] = []
  private var given = 0

  /// The steps of a new plan with their identities.
  mutating func identified(_ drafts: [Draft]) -> [AgentTodo] {
    var free = last.map(Optional.some)
    var ids: [String?] = drafts.map(\.id)
    for (index, draft) in drafts.enumerated() where ids[index] == nil {
      guard let place = free.firstIndex(where: { $0?.content == draft.content }) else { continue }
      ids[index] = free[place]?.id
      free[place] = nil
    }
    for index in drafts.indices where ids[index] == nil {
      guard index < free.count, let before = free[index] else { continue }
      ids[index] = before.id
      free[index] = nil
    }
    var used: Set<String> = []
    last = zip(drafts, ids).map { draft, id in
      var id = id ?? next()
      while !used.insert(id).inserted { id = next() }
      return AgentTodo(
        id: id,
        content: draft.content,
        status: draft.status,
        priority: draft.priority
      )
    }
    return last
  }

  private mutating func next() -> String {
    given += 1
    return "todo-\(given)"
  }
}
