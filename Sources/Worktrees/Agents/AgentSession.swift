/// What one agent's log says about its session, so far.
package struct AgentSession: Hashable, Sendable {
  /// A text and when it was written.
  package struct Said: Hashable, Sendable {
    /// The text, at most ``AgentLimits/longestText`` bytes.
    package var text: String
    /// When it was written.
    package var at: WallTime
  }

  /// The state of the conversation.
  package enum Turn: Hashable, Sendable {
    /// Nothing was asked.
    case none
    /// It is the agent's turn.
    case open(since: WallTime)
    /// It is the human's turn.
    case over(at: WallTime, TurnEnd)
  }

  /// How a turn ended.
  package enum TurnEnd: Hashable, Sendable {
    /// The agent answered.
    case complete
    /// The human stopped it.
    case interrupted
    /// It failed.
    case failed
  }

  /// The bounds of this value.
  package let limits: AgentLimits
  /// Which agent it is.
  package var kind: AgentKind
  /// The session's id, as the agent gives it.
  package var id: String?
  /// The working directory of the first record that names one.
  package var firstDirectory: String?
  /// The working directory of the latest record that names one.
  package var directory: String?
  /// The version of the agent that wrote the log.
  package var version: String?
  /// The number of the process that writes, if the log says it.
  package var process: Int32?
  /// The session's titles, oldest first; the last one holds.
  package var titles: [Said] = []
  /// The user's last prompt.
  package var prompt: Said?
  /// The agent's last message.
  package var message: Said?
  /// The agent's last thought.
  package var thought: Said?
  /// What went wrong last; gone with the next prompt.
  package var failure: Said?
  /// The plan.
  package var todos: [AgentTodo] = []
  /// Tool calls without a result, oldest first.
  package var toolCalls: [ToolCall] = []
  /// The state of the conversation.
  package var turn: Turn = .none
  /// The time of the latest record of the conversation itself.
  package var lastTurnRecordAt: WallTime?
  /// The request that the agent waits for the user to answer.
  package var request: AgentRequest?
  /// Whether the last words may be the end of the turn, which this log's format does not mark.
  package var mayBeOver = false
  /// Whether the agent does what it wants without asking, as far as the log says.
  package var asksNobody = false
  /// Whether the agent edits files without asking.
  package var editsFreely = false
  /// Whether the log says that the session was closed.
  package var isClosed = false
  /// Whether the session was begun by a program rather than by a human.
  package var isAutomated = false
  /// Tokens.
  package var tokens = TokenCounts()
  /// How long turns that are over took, in milliseconds.
  package var worked: Int64 = 0
  /// Numbers about the session.
  package var statistics = SessionStatistics()
  /// Numbers about the log.
  package var counts = RecordCounts()
  /// The time of the first record.
  package var startedAt: WallTime?
  /// The time of the latest record.
  package var lastRecordAt: WallTime?
  /// When the log was last written, as far as it was read; no record is much later.
  package var writtenAt: WallTime?
  /// When the log was last read; no record is later.
  package var readAt: WallTime?

  /// A session of which nothing is known.
  package init(kind: AgentKind, limits: AgentLimits = AgentLimits()) {
    self.kind = kind
    self.limits = limits
  }

  /// Whether the conversation was ended: its turn is over, or it was closed.
  package var isOver: Bool {
    if case .over = turn { return true }
    return isClosed
  }

  /// Whether it is not the agent's turn and no human is asked, as far as the log says.
  package var isAtRest: Bool {
    if isOver { return true }
    guard toolCalls.isEmpty, request == nil else { return false }
    if case .open = turn { return mayBeOver }
    return true
  }

  // MARK: What records do

  /// Notes the time of a record.
  ///
  /// - Parameter time: The time of the record; `nil` if it has none.
  /// - Returns: When the record was made: its own time, unless its clock is ahead; without a time, that of the previous
  ///   record, or when the file was written.
  mutating func noted(_ time: WallTime?) -> WallTime {
    guard let time = time?.bounded(writtenAt: writtenAt, readAt: readAt) else {
      return lastRecordAt ?? writtenAt ?? readAt ?? WallTime(milliseconds: 0)
    }
    if startedAt == nil { startedAt = time }
    lastRecordAt = max(lastRecordAt ?? time, time)
    return time
  }

  /// Notes a working directory.
  mutating func note(directory: String?) {
    guard let directory, directory.hasPrefix("/") else { return }
    if firstDirectory == nil { firstDirectory = directory }
    self.directory = directory
  }

  /// A text with its time, cut to its limit.
  func said(_ text: String, _ time: WallTime) -> Said {
    Said(text: text.limited(to: limits.longestText), at: time)
  }

  /// The human asks something.
  mutating func ask(_ text: String, at time: WallTime) {
    statistics.prompts += 1
    prompt = said(text, time)
    failure = nil
    request = nil
    mayBeOver = false
    isClosed = false
    toolCalls = []
    turn = .open(since: time)
    lastTurnRecordAt = time
  }

  /// The agent does something.
  mutating func work(at time: WallTime) {
    mayBeOver = false
    lastTurnRecordAt = time
    if case .open = turn { return }
    turn = .open(since: time)
  }

  /// The session gets a title.
  mutating func entitle(_ title: String, at time: WallTime) {
    let title = title.limited(to: 512)
    guard !title.isEmpty, titles.last?.text != title else { return }
    titles.append(Said(text: title, at: time))
    if titles.count > limits.mostTitles { titles.removeFirst() }
  }

  /// The agent says something.
  mutating func say(_ text: String, at time: WallTime) {
    guard !text.isEmpty else { return }
    message = said(text, time)
  }

  /// The turn is over.
  mutating func end(_ end: TurnEnd, at time: WallTime) {
    if case .over(_, end) = turn { return }
    if case .open(let since) = turn {
      worked = worked.adding(max(time.milliseconds(since: since), 0))
    }
    turn = .over(at: time, end)
    mayBeOver = false
    request = nil
    toolCalls = []
  }

  /// A tool is called.
  mutating func call(_ call: ToolCall) {
    work(at: call.since)
    statistics.toolCalls += 1
    guard !toolCalls.contains(where: { $0.id == call.id }) else { return }
    toolCalls.append(call)
    if toolCalls.count > limits.mostToolCalls { toolCalls.removeFirst() }
  }

  /// A tool has answered.
  mutating func finish(call id: String) {
    toolCalls.removeAll { $0.id == id }
    if request?.call == id { request = nil }
  }

  /// A record was not read: it may have answered whatever was open.
  mutating func missedRecord() {
    toolCalls = []
    if request?.call != nil { request = nil }
  }

  /// The plan changes.
  mutating func plan(_ todos: [AgentTodo]) { self.todos = Array(todos.prefix(limits.mostTodos)) }
}
