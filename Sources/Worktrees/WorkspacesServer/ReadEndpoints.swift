import ConditionalHTTP
import FreshnessServer
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Workspaces
import WorktreeWatch

/// Answers reads: 304 before any body is made, waits, batches.
struct ReadEndpoints: Sendable {
  let watcher: WorktreeWatcher
  let waiting: LongPollLimiter
  /// How clients of another system expect answers; `nil` for native ones only.
  var dialect: (any WorkspaceDialect)?

  private var reader: WorkspaceReader { WorkspaceReader(watcher: watcher, dialect: dialect) }

  /// Answers one resource.
  ///
  /// - Throws: ``Problem``.
  func answer(_ resource: WorkspaceResource, _ request: Request) async throws -> Response {
    await firstLook()
    var since: String?
    if case .delta(let text) = resource { since = text }
    let conditions = WorkspaceConditions(request.headers, since: since)
    var waited: Int64?
    var made: (bytes: [UInt8], tag: EntityTag)?
    var known = await reader.tag(resource)
    if known == nil, conditions.wait != nil {
      made = try await Self.failing { try await reader.body(resource) }
      known = made?.tag
    }
    if let tag = known, conditions.isCurrent(tag) {
      if let wait = conditions.wait, let ticket = waiting.enter() {
        defer { withExtendedLifetime(ticket) {} }
        try await change(of: resource, from: conditions, request.body, seconds: wait)
        (waited, made) = (wait, nil)
        if let still = await reader.tag(resource), conditions.names(still) {
          return unchanged(still, waited)
        }
      } else if conditions.names(tag) {
        return unchanged(tag, nil)
      }
    }
    let answer: (bytes: [UInt8], tag: EntityTag)
    if let made {
      answer = made
    } else {
      answer = try await Self.failing { try await reader.body(resource) }
    }
    let (bytes, tag) = answer
    if conditions.names(tag) { return unchanged(tag, waited) }
    var response = Self.json(bytes)
    response.headers[.eTag] = tag.description
    if let waited { Self.note(waited, &response.headers) }
    return response
  }

  private func unchanged(_ tag: EntityTag, _ waited: Int64?) -> Response {
    var headers = Self.fields
    headers[.eTag] = tag.description
    if let waited { Self.note(waited, &headers) }
    return Response(status: .notModified, headers: headers)
  }

  /// Waits until a resource is another, the time is over, the room is closed, or the client is gone.
  private func change(
    of resource: WorkspaceResource,
    from conditions: WorkspaceConditions,
    _ body: RequestBody,
    seconds: Int64
  ) async throws {
    let (reader, waiting) = (reader, waiting)
    let closing: @concurrent @Sendable () async -> Void = { for await _ in waiting.closing() {} }
    try await Waiting.hold(body, atMost: .seconds(seconds), closing: closing) {
      for await _ in reader.ticks(resource) {
        guard await reader.isCurrent(resource, conditions) else { return }
      }
    }
  }

  /// After the start of a server, waits briefly until everything was scanned once, agents too.
  func firstLook() async {
    watcher.interest.note()
    guard !watcher.store.isReady else { return }
    await withTaskGroup { group in
      group.addTask {
        for await _ in watcher.store.ticks() where watcher.store.isReady { return }
      }
      group.addTask { try? await Task.sleep(for: .seconds(WorkspaceLimits.firstLook)) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Answers several resources at once (`POST /v1/batch`).
  ///
  /// - Throws: ``Problem`` 400.
  func batch(_ request: Request) async throws -> Response {
    let batch = try await RequestBodies.decode(WorkspaceBatch.self, request)
    guard batch.requests.count <= WorkspaceLimits.batch else {
      throw Problem(
        .invalidBody,
        detail: "\(batch.requests.count) resources; the most is \(WorkspaceLimits.batch)"
      )
    }
    await firstLook()
    var out = WorkspaceBytes(dialect)
    out.raw("{\"responses\":[")
    for (index, part) in batch.requests.enumerated() {
      if index > 0 { out.raw(",") }
      out.raw("{\"path\":")
      out.text(part.path)
      await answer(part, into: &out)
      out.raw("}")
    }
    out.raw("]}")
    return Self.json(out.bytes)
  }

  private func answer(_ part: WorkspaceBatch.Request, into out: inout WorkspaceBytes) async {
    func write(_ problem: Problem) {
      out.raw(",\"status\":\(problem.details.status),\"body\":")
      out.raw(WorkspaceJSON.bytes(problem.details))
    }
    guard let resource = WorkspaceResource(path: part.path) else {
      return write(Problem(.notFound, "not_found", detail: "there is nothing to read there"))
    }
    let conditions = WorkspaceConditions(ifNoneMatch: part.ifNoneMatch)
    do {
      if let tag = await reader.tag(resource), conditions.names(tag) {
        out.raw(",\"status\":304,\"etag\":")
        return out.text(tag.description)
      }
      let (bytes, tag) = try await Self.failing { try await reader.body(resource) }
      let isKnown = conditions.names(tag)
      out.raw(",\"status\":\(isKnown ? 304 : 200),\"etag\":")
      out.text(tag.description)
      guard !isKnown else { return }
      out.raw(",\"body\":")
      out.raw(bytes)
    } catch let problem as Problem {
      write(problem)
    } catch {
      write(Problem(.internalServerError, "internal_error", detail: "the server failed to answer"))
    }
  }

  // MARK: Parts of answers

  /// The fields of everything that is read.
  static let fields: HTTPFields = [
    .cacheControl: "private, no-cache", .vary: "Authorization, X-Codespace-Name",
  ]

  /// 200 with a body.
  static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    var headers = fields
    headers[.contentType] = "application/json; charset=utf-8"
    return Response(
      status: status,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    )
  }

  /// Says that an answer was held back, and that its connection ends with it.
  private static func note(_ waited: Int64, _ headers: inout HTTPFields) {
    headers[.preferenceApplied] = "wait=\(waited)"
    headers[.connection] = "close"
  }

  /// Turns failures of git into problems.
  static func failing<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let failure as GitRunner.Failure {
      if case .timeout = failure {
        throw Problem(
          .gitTimeout,
          detail: failure.description
        )
      }
      throw Problem(
        .gitFailed,
        detail: failure.description
      )
    }
  }
}
