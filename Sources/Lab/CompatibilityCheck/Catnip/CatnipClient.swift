import HTTPTypes
import StrictJSON

/// What catnip's iOS client asks, and what it does with the answers.
struct CatnipClient: Sendable {
  /// A list of worktrees with its tag.
  struct List: Sendable {
    var workspaces: [JSONValue]
    var tag: String?
  }

  /// What the client is called in steps.
  private static let name = "iOS"
  /// How long the client waits for an answer: its library's own limit.
  private static let timeout = Duration.seconds(60)
  /// The timeout of a health check.
  private static let healthTimeout = Duration.seconds(5)
  /// How long it waits for its machine to start.
  private static let connectTimeout = Duration.seconds(120)
  /// The time between two polls of a worktree while its agent works.
  private static let activePause = Duration.seconds(3)
  /// The time before the poll of one whose agent does not.
  private static let restingPause = Duration.seconds(5)
  /// The wait after a checkout, and after the start of an agent.
  private static let settlingPause = Duration.seconds(2)

  let run: ClientRun
  private let token: String
  private let codespace: String

  init(_ run: ClientRun, token: String, codespace: String) {
    self.run = run
    self.token = token
    self.codespace = codespace
  }

  /// A request with the fields of all of the client's requests, also of those without content.
  private func request(
    _ method: HTTPRequest.Method = .get,
    _ path: String,
    tag: String? = nil,
    content: JSONValue? = nil,
    isScoped: Bool = true,
    timeout: Duration = timeout
  ) -> ClientRequest {
    var fields: HTTPFields = [
      .accept: "*/*", .contentType: "application/json", .authorization: "Bearer \(token)",
    ]
    if isScoped, !codespace.isEmpty, let name = HTTPField.Name("X-Codespace-Name") {
      fields[name] = codespace
    }
    if let tag { fields[.ifNoneMatch] = tag }
    return ClientRequest(
      method,
      path,
      fields: fields,
      // A POST without content has a length all the same.
      content: content?.bytes ?? (method == .post ? [] : nil),
      timeout: timeout
    )
  }

  // MARK: The start

  /// Asks whether the stored session is good; the client forgets it otherwise.
  func signIn() async {
    await run.step(
      Self.name,
      request(.get, "/v1/auth/status", isScoped: false),
      expects: "200 and that the person is signed in"
    ) { check, answer in
      guard check.status(200, of: answer),
        let value = check.shape(CatnipShapes.authorization, of: answer)
      else { return }
      check.expect(value["authenticated"] == .bool(true), "the client signs the person out")
    }
  }

  /// Waits until the machine with the server runs: the list is shown after an event `success` with a message.
  func connect() async {
    await run.step(
      Self.name,
      request(.get, "/v1/codespace", timeout: Self.connectTimeout),
      expects: "200 and an event that it is connected"
    ) { check, answer in
      guard check.status(200, of: answer) else { return }
      let events = Self.events(answer.body)
      if let problem = events.first(where: { $0.type == "error" }) {
        check.fault("the client shows \(problem.data)")
      }
      let success = events.first { $0.type == "success" }
      let message = success.flatMap {
        try? JSONReader.value(of: Array($0.data.utf8))["message"]?.string
      }
      check.expect(message != nil, "there is no event success with a message")
    }
  }

  /// Events as the client splits them: at empty lines, one `event` and one `data` each.
  private static func events(_ body: [UInt8]) -> [(type: String, data: String)] {
    var events: [(type: String, data: String)] = []
    var (type, data) = ("", "")
    for line in String(decoding: body, as: UTF8.self).split(
      separator: "\n",
      omittingEmptySubsequences: false
    ) {
      if line.hasPrefix("event:") { type = line.dropFirst(6).drop { $0 == " " }.description }
      if line.hasPrefix("data:") { data = line.dropFirst(5).drop { $0 == " " }.description }
      if line.isEmpty, !type.isEmpty {
        events.append((type, data))
        (type, data) = ("", "")
      }
    }
    return events
  }

  /// Checks whether the server is available, every 60 s and when the app moves to the foreground.
  func checkHealth() async {
    await run.step(
      Self.name,
      request(.get, "/v1/info", timeout: Self.healthTimeout),
      expects: "200 within 5 s, and the version"
    ) { check, answer in
      guard check.status(200, of: answer) else { return }
      check.shape(CatnipShapes.info, of: answer)
    }
  }

  /// Asks whether the agent is signed in; an error is passed over, and a no covers the list with a sheet.
  func readSettings() async {
    await run.step(
      Self.name,
      request(.get, "/v1/claude/settings"),
      expects: "an agent that is signed in, or an error, which is passed over"
    ) { check, answer in
      guard answer.status == 200, let value = try? answer.json() else { return }
      for name in ["authenticated", "hasCompletedOnboarding"] where value[name] == .bool(false) {
        check.fault("\(name) is false: the client shows a sheet to sign in")
      }
    }
  }

  // MARK: The list

  /// Asks for all worktrees.
  ///
  /// - Parameter tag: The tag of the known list.
  /// - Returns: The list; `nil` if the request failed or the list is unchanged.
  @discardableResult
  func list(tag: String? = nil) async -> List? {
    let expected =
      tag == nil ? "200 and every worktree" : "304 without content, or 200 and every worktree"
    let answer = await run.step(
      Self.name,
      request(.get, "/v1/git/worktrees", tag: tag),
      expects: expected
    ) { check, answer in
      guard isChanged(answer, tag, check) else { return }
      if !answer.body.isEmpty { check.shape(CatnipShapes.workspaces, of: answer) }
    }
    guard let answer, answer.status == 200 else { return nil }
    let workspaces = answer.body.isEmpty ? [] : (try? answer.json())?.list
    return workspaces.map { List(workspaces: $0, tag: answer[field: "ETag"]) }
  }

  /// The worktrees in the order of the app's list: by the texts of their instants, the latest first.
  static func inOrder(_ workspaces: [JSONValue]) -> [JSONValue] {
    func instant(_ it: JSONValue) -> String {
      it["last_accessed"]?.string ?? it["created_at"]?.string ?? ""
    }
    return workspaces.sorted { instant($0) > instant($1) }
  }

  /// What is known of all sessions; an error is the same as none.
  func summaries() async {
    await run.step(
      Self.name,
      request(.get, "/v1/claude/sessions"),
      expects: "200 and turns and activity by path"
    ) { check, answer in
      guard check.status(200, of: answer) else { return }
      check.shape(CatnipShapes.summaries, of: answer)
    }
  }

  /// Whether an answer has content to be read; an answer that should have none is a fault.
  private func isChanged(_ answer: ClientAnswer, _ tag: String?, _ check: StepCheck) -> Bool {
    guard let tag else { return check.status(200, of: answer) }
    if answer.status == 304 {
      check.expect(answer.body.isEmpty, "a 304 has \(answer.body.count) bytes of content")
      return false
    }
    guard check.status(200, 304, of: answer) else { return false }
    check.expect(
      answer[field: "ETag"] != tag,
      "the tag that was sent comes back with a whole answer"
    )
    return true
  }

  // MARK: A worktree

  /// Opens a worktree: its session, the agent's last words, what it changed; then polls it.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - listTag: The tag of the list that it is of.
  ///   - polls: How often it is polled.
  func open(_ workspace: JSONValue, listTag: String?, polls: Int) async {
    guard let id = workspace["id"]?.string, let path = workspace["path"]?.string else { return }
    let isActive = workspace["claude_activity_state"]?.string == "active"
    var sessionTag = await session(id, tag: nil, isActive: isActive)
    await olderSession(path, isActive: isActive)
    await latestMessage(path)
    if workspace["is_dirty"] == .bool(true) || (workspace["commit_count"]?.int64 ?? 0) > 0 {
      await diff(id)
    }
    var tag = listTag
    for _ in 0..<polls {
      guard (try? await run.wait(isActive ? Self.activePause : Self.restingPause)) != nil else {
        return
      }
      if isActive {
        sessionTag = await session(id, tag: sessionTag, isActive: true) ?? sessionTag
      } else {
        tag = await list(tag: tag)?.tag ?? tag
      }
    }
  }

  /// Polls the session of a worktree; without one the client shows none.
  private func session(_ id: String, tag: String?, isActive: Bool) async -> String? {
    let answer = await run.step(
      Self.name,
      request(.get, "/v1/sessions/workspace/\(id)", tag: tag),
      expects: tag == nil ? "200 and the session, or 404" : "304, or 200 and the session"
    ) { check, answer in judge(answer, tag, isActive: isActive, check) }
    return answer.flatMap { $0.status == 200 ? $0[field: "ETag"] : nil }
  }

  /// As builds of the app did that name the worktree by its path.
  private func olderSession(_ path: String, isActive: Bool) async {
    await run.step(
      "older build",
      request(.get, "/v1/sessions/workspace?workspace=\(Self.escaped(path))"),
      expects: "200 and the session, or 404"
    ) { check, answer in judge(answer, nil, isActive: isActive, check) }
  }

  private func judge(_ answer: ClientAnswer, _ tag: String?, isActive: Bool, _ check: StepCheck) {
    if answer.status == 404 {
      check.expect(!isActive, "no session was found, although the list reports a working agent")
      return
    }
    if isChanged(answer, tag, check) { check.shape(CatnipShapes.session, of: answer) }
  }

  private func latestMessage(_ path: String) async {
    await run.step(
      Self.name,
      request(.get, "/v1/claude/latest-message?worktree_path=\(Self.escaped(path))"),
      expects: "200 and what the agent said last"
    ) { check, answer in
      guard answer.status == 200 else {
        return check.fault(
          "status \(answer.status): the client shows \"Failed to fetch message\" as the agent's words"
        )
      }
      check.shape(CatnipShapes.message, of: answer)
    }
  }

  private func diff(_ id: String) async {
    await run.step(
      Self.name,
      request(.get, "/v1/git/worktrees/\(id)/diff"),
      expects: "200 and what it changed"
    ) { check, answer in
      guard check.status(200, of: answer) else { return }
      check.shape(CatnipShapes.diff, of: answer)
    }
  }

  // MARK: A new worktree

  /// Makes a worktree as the app's sheet does: the first answer is lost, and the person asks again; then deletes it.
  ///
  /// - Parameters:
  ///   - repository: The repository, `owner/name`.
  ///   - branch: The branch to start from; `nil` for the one that the app picks.
  ///   - prompt: The prompt for its agent; `nil` to start none.
  ///   - known: The worktrees before the request.
  func create(
    in repository: String,
    branch: String?,
    prompt: String?,
    known: [JSONValue]
  ) async {
    let start = await self.branch(of: repository)
    guard let start = branch ?? start else { return }
    let lost = await checkout(repository, start, note: "; the answer is lost on the way", nil)
    guard let made = await checkout(repository, start, note: ", asked again", lost),
      let id = made["id"]?.string
    else { return }
    try? await run.wait(Self.settlingPause)
    if let prompt { await sendPrompt(made["name"]?.string ?? "", prompt) }
    await expectInList(id, beside: known)
    await delete(id)
  }

  /// The branch that the app's sheet has chosen when it opens.
  private func branch(of repository: String) async -> String? {
    let answer = await run.step(
      Self.name,
      request(.get, "/v1/git/branches/\(Self.escaped(repository, keepsSlashes: false))"),
      expects: "200 and the names of branches"
    ) { check, answer in
      guard check.status(200, of: answer) else { return }
      check.shape(CatnipShapes.branches, of: answer)
    }
    let all = ((try? answer?.json())?.list ?? []).compactMap(\.string)
    let names = all.filter { !$0.hasPrefix("refs/catnip/") && !$0.hasPrefix("catnip/") }.sorted()
    return names.first { $0 == "main" } ?? names.first { $0 == "master" } ?? names.first
  }

  /// Makes a worktree.
  ///
  /// - Returns: The worktree; `nil` if the client would report a failure.
  private func checkout(
    _ repository: String,
    _ branch: String,
    note: String,
    _ before: JSONValue?
  ) async -> JSONValue? {
    let path = "/v1/git/checkout/\(repository)?branch=\(Self.escaped(branch))"
    let request = request(.post, path)
    let id = before?["id"]?.string
    return await run.step(
      Self.name,
      request.description + note,
      expects: id == nil ? "200 and the new worktree" : "200 and the same worktree"
    ) { check -> JSONValue? in
      let answer = try await run.send(request)
      guard check.status(200, of: answer),
        let worktree = check.shape(CatnipShapes.checkout, of: answer)?["worktree"]
      else { return nil }
      if let id {
        check.expect(
          worktree["id"]?.string == id,
          "each time the person asks again there is one more worktree"
        )
      }
      return worktree
    } ?? nil
  }

  private func expectInList(_ id: String, beside known: [JSONValue]) async {
    let before = Set(known.compactMap { $0["id"]?.string })
    await run.step(
      Self.name,
      request(.get, "/v1/git/worktrees"),
      expects: "200, and one worktree more than before"
    ) { check, answer in
      guard check.status(200, of: answer),
        let list = check.shape(CatnipShapes.workspaces, of: answer)?.list
      else { return }
      let new = Set(list.compactMap { $0["id"]?.string }).subtracting(before)
      check.expect(new.contains(id), "the new worktree is not in the list")
      check.expect(new.count <= 1, "there are \(new.count) new worktrees")
    }
  }

  private func delete(_ id: String) async {
    await run.step(
      Self.name,
      request(.delete, "/v1/git/worktrees/\(id)"),
      expects: "200"
    ) { check, answer in check.status(200, of: answer) }
    await run.step(
      Self.name,
      request(.get, "/v1/git/worktrees"),
      expects: "200, without the deleted worktree"
    ) { check, answer in
      guard check.status(200, of: answer),
        let list = check.shape(CatnipShapes.workspaces, of: answer)?.list
      else { return }
      check.expect(!list.contains { $0["id"]?.string == id }, "the worktree is still there")
    }
  }

  /// Starts an agent and sends it a prompt; if it is not ready, sends it again.
  private func sendPrompt(_ name: String, _ prompt: String) async {
    let query = "session=\(Self.escaped(name))&agent=claude"
    await run.step(
      Self.name,
      request(.post, "/v1/pty/start?\(query)"),
      expects: "a status from 200 to 299"
    ) { check, answer in
      check.expect((200...299).contains(answer.status), "status \(answer.status)")
    }
    try? await run.wait(Self.settlingPause)
    let telling = request(
      .post,
      "/v1/pty/prompt?\(query)",
      content: .object(["prompt": .string(prompt)])
    )
    await run.step(
      Self.name,
      telling,
      expects: "a status from 200 to 299, at the second time at last"
    ) {
      check,
      answer in
      guard answer.status == 408 else {
        check.expect((200...299).contains(answer.status), "status \(answer.status)")
        return
      }
      try await run.wait(Self.settlingPause)
      let second = try await run.send(telling)
      check.expect(
        (200...299).contains(second.status),
        "status \(second.status) at the second time"
      )
    }
  }

  /// A value in a query as the client escapes it: spaces and what no query may hold, but neither `+` nor `&`.
  static func escaped(_ text: String, keepsSlashes: Bool = true) -> String {
    let kept = Array("!$&'()*+,-.:;=?@_~".utf8) + (keepsSlashes ? Array("/".utf8) : [])
    var escaped = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      case _ where kept.contains(byte): escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      }
    }
    return escaped
  }
}
