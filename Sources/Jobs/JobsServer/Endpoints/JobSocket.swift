import ConditionalHTTP
import FreshnessServer
package import HTTPTypes
import Jobs
import Logging
package import Serving
import StrictJSON
import Synchronization

/// `GET /ws/progress?jobId=…`: the events over a WebSocket.
///
/// The token is in a subprotocol (`freshet-auth.TOKEN`) or in Authorization. `after=EPOCH.SEQ` or `reconnect=true`
/// resume where the client was; `version` selects the messages. An unknown message of the client gets a notice; many in
/// a minute cost the connection, never the token.
package struct JobSocketAuthorizer: WebSocketAuthorizer {
  /// The path.
  package static let path = "/ws/progress"
  /// The prefix of the native subprotocol; a token follows.
  package static let subprotocol = "freshet-auth."

  let store: any JobStore
  let broadcaster: JobEventBroadcaster
  let authorization: JobAuthorization
  let rules: OriginGuard
  let serving: ResourceServing
  let logger: Logger

  package var messageLimit: Int { store.limits.incomingBytes }

  package func open(_ request: HTTPRequest) async -> WebSocketAcceptance? {
    let (path, query) = Self.parts(request)
    guard Self.isPath(path) else { return nil }
    guard let (job, version, asked) = try? await check(request, query) else {
      return nil
    }
    guard let subscription = broadcaster.listen(to: job.id) else { return nil }
    let subprotocol = authorization.token(request.headerFields, query: query)?.subprotocol
    let session = JobSocketSession(
      store: store,
      broadcaster: broadcaster,
      writer: JobMessageWriter(job: job.id, pipeline: job.pipeline, version: version),
      stream: JobStream(
        job,
        in: store,
        subscription,
        .missed(after: asked, hasStatus: asked != nil || query["reconnect"] == "true")
      ),
      serving: serving,
      logger: logger
    )
    return WebSocketAcceptance(route: Self.path, subprotocol: subprotocol) { socket in
      await session.run(socket)
    }
  }

  /// Checks a request to open a socket.
  ///
  /// - Throws: ``Problem`` that says why it is rejected.
  func check(
    _ request: HTTPRequest,
    _ query: QueryText
  ) async throws -> (job: JobRow, version: WireVersion, asked: EventPosition?) {
    if let refusal = rules.refusal(request) { throw refusal.problem }
    guard let id = query["jobId"] else {
      throw JobProblem(.badRequest, .invalidRequest, "jobId is needed").problem
    }
    let job = try await authorization.living(id, request.headerFields, query: query).job
    return (job, try JobEndpoints.version(query), try JobEndpoints.position(query))
  }

  /// Why a request was rejected, or that it did not ask for an upgrade.
  func refusal(_ request: HTTPRequest) async throws -> Problem {
    let (job, _, _) = try await check(request, Self.parts(request).query)
    return handshakeProblem(request, of: job)
  }

  /// Why a request that may follow a job did not become a socket.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - job: The job.
  /// - Returns: 400, 426 or 503.
  package func handshakeProblem(_ request: HTTPRequest, of job: JobRow) -> Problem {
    let keys = request.headerFields[values: .secWebSocketKey]
    if request.headerFields[.secWebSocketVersion] == "13",
      keys.count != 1 || !keys.allSatisfy(WebSocketKey.isSound)
    {
      return JobProblem(
        .badRequest,
        .invalidRequest,
        "Sec-WebSocket-Key is needed once: 16 bytes in base64"
      ).problem
    }
    // It may not have been a handshake, or the listeners are at their limit.
    if broadcaster.listen(to: job.id) == nil {
      return JobProblem(.serviceUnavailable, .busy, "too many listen; poll instead", retryAfter: 2)
        .problem
    }
    if RefusedHandshake.isMarked(request) {
      // The store could not be asked then, and can be asked now.
      return JobProblem(.serviceUnavailable, .storeUnreachable, "try again", retryAfter: 1).problem
    }
    var problem = Problem(
      .upgradeRequired,
      "upgrade_required",
      detail: "open a WebSocket of version 13 over HTTP/1.1 here, first on a connection"
    )
    problem.fields[.upgrade] = "websocket"
    problem.fields[.connection] = "Upgrade"
    problem.fields[.secWebSocketVersion] = "13"
    return problem
  }

  private static func parts(_ request: HTTPRequest) -> (path: String, query: QueryText) {
    let target = request.path ?? "/"
    guard let mark = target.firstIndex(of: "?") else { return (target, QueryText(nil)) }
    return (String(target[..<mark]), QueryText(String(target[target.index(after: mark)...])))
  }

  /// Whether a path is that of sockets, also with a slash behind it, which the router passes at all other addresses.
  package static func isPath(_ text: some StringProtocol) -> Bool {
    text == path || text == path + "/"
  }
}

/// One open socket.
private struct JobSocketSession: Sendable {
  let store: any JobStore
  let broadcaster: JobEventBroadcaster
  let writer: JobMessageWriter
  let stream: JobStream
  let serving: ResourceServing
  let logger: Logger

  private typealias Exit = JobSocketConnection.Exit

  func run(_ socket: any ServerWebSocket) async {
    broadcaster.metrics.listens(.webSocket, 1)
    defer { broadcaster.metrics.listens(.webSocket, -1) }
    let connection = JobSocketConnection(socket, limits: store.limits)
    let exit = await withTaskGroup(of: Exit.self) { group in
      group.addTask { await speak(connection) }
      group.addTask { await listen(connection) }
      group.addTask { await connection.ping() }
      group.addTask { await connection.watch { serving.isClosed } }
      var first = await group.next() ?? .done
      // What came before the end of the connection is handled, such as the request to cancel.
      while case .gone = first { first = await group.next() ?? .done }
      if case .close(let code, let reason) = first { await connection.close(code, reason) }
      group.cancelAll()
      return first
    }
    if case .close(let code, _) = exit {
      broadcaster.metrics.closed(code)
      logger.debug(
        "a socket closes",
        metadata: ["job": "\(writer.job)", "code": "\(code.rawValue)"]
      )
    }
  }

  /// Sends what happens.
  private func speak(_ connection: JobSocketConnection) async -> Exit {
    let messages = SubscriberMessages(store: store, recent: broadcaster.recent, writer: writer)
    do {
      let ending = try await StreamDriver(stream, serving: serving).follow(from: stream.start) {
        updates,
        _ in
        for update in updates {
          let message = try await messages.message(update)
          try await connection.send(message.bytes)
          broadcaster.metrics.sent(.webSocket, skipped: message.skipped)
        }
      }
      switch ending {
      case .finished: return .close(.finished, "the job is over")
      case .closed: return .close(.goingAway, "the server ends")
      case .gone: return .close(.expired, "the results are gone")
      }
    } catch is WebSocketError {
      return .gone
    } catch is CancellationError {
      return .gone
    } catch {
      logger.error("a feed failed", metadata: ["job": "\(writer.job)", "error": "\(error)"])
      return .close(.serverError, "the server failed")
    }
  }

  /// The codes with which a socket closes on its own.
  private static let faults: Set<JobCloseCode> = [.protocolError, .invalidText, .tooLong]

  /// Answers what the client says.
  private func listen(_ connection: JobSocketConnection) async -> Exit {
    var notices: [Int64] = []
    while true {
      let text: String
      switch await connection.next() {
      case .message(let message): text = message
      case .closed(let close):
        // What breaks the protocol was answered with a Close before it came here.
        if let code = JobCloseCode(rawValue: close.code), Self.faults.contains(code) {
          broadcaster.metrics.closed(code)
        }
        return .done
      }
      do {
        guard let notice = try await answer(text, connection) else { continue }
        notices = notices.filter { $0 > store.now - 60_000 } + [store.now]
        broadcaster.metrics.noticed()
        try await connection.send(notice)
      } catch is WebSocketError {
        // The client no longer reads, but may have sent more.
        continue
      } catch {
        return .gone
      }
      if notices.count > store.limits.noticesPerMinute {
        return .close(.tooManyNotices, "too many messages that are not understood")
      }
    }
  }

  /// Answers a message; a notice for one that is not understood.
  private func answer(
    _ text: String,
    _ connection: JobSocketConnection
  ) async throws -> JSONValue? {
    let now = store.now
    guard let value = try? JSONReader.value(of: Array(text.utf8), rules: Self.rules) else {
      return writer.notice(.invalidMessage, "the message is not valid JSON", at: now)
    }
    guard case .object = value else {
      return writer.notice(.invalidMessage, "a message is an object with a type", at: now)
    }
    guard let type = value["type"]?.string else {
      return writer.notice(.invalidMessage, "a message has a type, a text", at: now)
    }
    switch type {
    case "ready":
      try await connection.send(writer.readyAck(at: now))
    case "ping":
      try await connection.send(writer.pong(at: now))
    case "pong": break
    case "cancel", "cancel_batch", "cancel_job":
      if let (_, event) = try await store.cancel(writer.job), let event {
        broadcaster.publish(event, of: writer.job)
      }
    default:
      return writer.notice(
        .unknownMessage,
        "a message of this type is not known here",
        offending: String(type.prefix(60)),
        at: now
      )
    }
    return nil
  }

  private static let rules: JSONReader.Rules = {
    var rules = JSONReader.Rules.lenient
    rules.most = 10_000
    return rules
  }()
}
