import StrictJSON

/// The plan of Claude Code since 2.1.16: tasks that are created and changed one by one.
struct ClaudeTasks: Hashable, Sendable {
  /// A creation whose result, which gives the identity, has not arrived yet.
  private struct Creation: Hashable, Sendable {
    var call: String
    var subject: String
  }

  /// The most creations that wait for their answer.
  private static let mostWaiting = 64

  private var waiting: [Creation] = []
  private var tasks: [AgentTodo] = []

  /// A tool is called.
  ///
  /// - Returns: The plan, if it changes at once.
  mutating func use(_ name: String, _ input: JSONValue?, call: String) -> [AgentTodo]? {
    if name == "TaskCreate" {
      guard let subject = input?["subject"]?.string else { return nil }
      waiting.append(Creation(call: call, subject: subject.limited(to: 1_024)))
      if waiting.count > Self.mostWaiting { waiting.removeFirst() }
      return nil
    }
    guard let id = input?["taskId"]?.name,
      let place = tasks.firstIndex(where: { $0.id == id })
    else { return nil }
    let status = input?["status"]?.string
    if status == "deleted" {
      tasks.remove(at: place)
      return tasks
    }
    if let status { tasks[place].status = AgentTodo.Status(status) }
    if let subject = input?["subject"]?.string { tasks[place].content = subject.limited(to: 1_024) }
    return tasks
  }

  /// A tool has answered.
  ///
  /// - Returns: The plan, if it changes.
  mutating func finish(
    call: String,
    isError: Bool,
    text: String,
    result: JSONValue?
  ) -> [AgentTodo]? {
    guard let place = waiting.firstIndex(where: { $0.call == call }) else { return nil }
    let creation = waiting.remove(at: place)
    guard !isError, let id = result?["task"]?["id"]?.name ?? number(in: text) else { return nil }
    // A new list begins with task 1 again once everything before is done.
    if tasks.contains(where: { $0.id == id }) { tasks.removeAll { $0.id == id } }
    tasks.append(
      AgentTodo(id: id.limited(to: 128), content: creation.subject, status: .pending, priority: nil)
    )
    return tasks
  }

  /// The number in a text like "Task #12 created …".
  private func number(in text: String) -> String? {
    guard let sign = text.firstIndex(of: "#") else { return nil }
    let digits = text[text.index(after: sign)...].prefix { $0.isASCII && $0.isNumber }
    return digits.isEmpty || digits.count > 9 ? nil : String(digits)
  }
}
