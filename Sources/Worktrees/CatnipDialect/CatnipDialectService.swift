import HTTPTypes
package import Hummingbird
import NIOCore
import Serving
import StrictJSON
import Workspaces
package import WorkspacesServer

/// The API of catnip, as a view of the worktrees; it has no state of its own.
///
/// Addresses that the native API has too stay where they are, and ``CatnipWording`` says how their answers are written.
package struct CatnipDialectService: Sendable {
  private let service: WorkspacesService
  private let wording = CatnipWording()

  /// Creates a view.
  ///
  /// - Parameter service: The worktrees.
  package init(_ service: WorkspacesService) { self.service = service }

  /// The beginnings of the paths that only this API has; they are as closed as the native ones.
  package static let prefixes = [
    "/v1/sessions", "/v1/claude/", "/v1/auth/", "/v1/codespace", "/v1/pty",
  ]

  /// Adds the endpoints, only for clients that may talk to the worktrees.
  package func add(to router: Router<some RequestContext>, access: WorkspaceAccess) {
    let router = router.group().add(middleware: WorkspaceAccessMiddleware(access))
    router.get("v1/sessions/workspace") { request, _ in
      let name = try Self.parameter("workspace", request)
      return try await service.answer(sessionOf: name, request, in: wording)
    }
    router.get("v1/sessions") { _, _ in await sessions(endedToo: true) }
    router.get("v1/sessions/active") { _, _ in await sessions(endedToo: false) }
    router.get("v1/claude/sessions") { _, _ in await summaries() }
    router.get("v1/claude/session") { request, _ in
      let it = try await worktree(request)
      guard let summary = summary(of: it) else { throw Self.noSession(it) }
      return Self.json(.object(summary))
    }
    router.get("v1/claude/todos") { request, _ in
      let it = try await worktree(request)
      return Self.json(CatnipWording.todos(of: it))
    }
    router.get("v1/claude/latest-message") { request, _ in
      let it = try await worktree(request)
      return Self.json([
        "content": .string(it.latestClaudeMessage ?? ""), "isError": .bool(false),
      ])
    }
    // A request that gets here has passed the server's own check.
    router.get("v1/auth/status") { _, _ in Self.json(["authenticated": .bool(true)]) }
    router.get("v1/codespace") { _, _ in Self.connected }
    for path in ["v1/pty/start", "v1/pty/prompt", "v1/claude/messages"] {
      router.post("\(path)") { _, _ -> Response in throw Self.noAgents }
    }
    // The first is a WebSocket: its handshake gets the reason as well.
    for path in ["v1/pty", "v1/pty/status"] {
      router.get("\(path)") { _, _ -> Response in throw Self.noAgents }
    }
    router.post("v1/git/worktrees/:id/pr") { _, _ -> Response in throw Self.noPullRequests }
    router.put("v1/git/worktrees/:id/pr") { _, _ -> Response in throw Self.noPullRequests }
  }

  // MARK: Sessions

  /// The sessions by the paths of their worktrees, as records of when they began and ended.
  private func sessions(endedToo: Bool) async -> Response {
    var found: [String: JSONValue] = [:]
    for it in await service.worktrees() {
      guard let info = session(of: it)?["sessionInfo"],
        let id = info["currentSessionId"], let start = info["sessionStartTime"]
      else { continue }
      let end = it.claudeActivityState == .inactive ? info["sessionEndTime"] : nil
      guard endedToo || end == nil else { continue }
      var record: [String: JSONValue] = [
        "claude_session_uuid": id, "started_at": start,
        "title_history": CatnipWording.titles(it.sessionTitleHistory),
      ]
      record["title"] = it.sessionTitle.map { CatnipWording.title($0) }
      record["ended_at"] = end
      found[it.path] = .object(record)
    }
    return Self.json(.object(found))
  }

  /// The summary of each session, by the path of its worktree.
  private func summaries() async -> Response {
    var found: [String: JSONValue] = [:]
    for it in await service.worktrees() {
      if let summary = summary(of: it) { found[it.path] = .object(summary) }
    }
    return Self.json(.object(found))
  }

  private func summary(of worktree: Workspace) -> [String: JSONValue]? {
    session(of: worktree)?["sessionInfo"]?.object
  }

  private func session(of worktree: Workspace) -> JSONValue? {
    service.session(of: worktree.id).flatMap { CatnipWording.session($0) }
  }

  // MARK: Parts

  /// The end of the client's connection sequence: no machine has to start first, so one event reports that it is done.
  private static var connected: Response {
    let data: JSONValue = .object(["message": .string("Connected")])
    var body = ByteBuffer(string: "event: success\ndata: ")
    body.writeBytes(data.bytes)
    body.writeString("\n\n")
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: body)
    )
  }

  /// The worktree that a request names by its path.
  private func worktree(_ request: Request) async throws -> Workspace {
    let path = try Self.parameter("worktree_path", request)
    guard let found = await service.worktree(path) else {
      throw Problem(
        .notFound,
        WorkspaceProblem.worktreeNotFound.rawValue,
        detail: "there is no worktree at \(path.prefix(400))"
      )
    }
    return found
  }

  /// A parameter of the query; `+` is literal, since catnip's client escapes spaces and nothing else.
  private static func parameter(_ name: String, _ request: Request) throws(Problem) -> String {
    guard let text = request.uri.queryParameters[name[...]], !text.isEmpty else {
      throw Problem(
        .badRequest,
        WorkspaceProblem.invalidParameter.rawValue,
        detail: "\(name) is missing"
      )
    }
    return String(text)
  }

  private static func noSession(_ worktree: Workspace) -> Problem {
    Problem(
      .notFound,
      WorkspaceProblem.sessionNotFound.rawValue,
      detail: "no agent session is known for \(worktree.path)"
    )
  }

  private static let noAgents = Problem(
    .notImplemented,
    "agents_not_started",
    detail: "this server watches agents, and neither starts them nor writes to them"
  )

  private static let noPullRequests = Problem(
    .notImplemented,
    "pull_requests_not_known",
    detail: "this server knows worktrees, and not pull requests"
  )

  private static func json(_ members: [String: JSONValue]) -> Response { json(.object(members)) }

  private static func json(_ value: JSONValue) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "application/json; charset=utf-8", .cacheControl: "private, no-cache",
        .vary: "Authorization, X-Codespace-Name",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.bytes))
    )
  }
}
