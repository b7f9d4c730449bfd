import ConditionalHTTP
import FreshResponses
import FreshnessServer
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Workspaces
import WorktreeWatch

/// Answers reads, and batches of them.
struct ReadEndpoints: Sendable {
  let watcher: WorktreeWatcher
  let serving: ResourceServing
  /// How clients of another system expect answers; `nil` for native ones only.
  var dialect: (any WorkspaceDialect)?

  private var reader: WorkspaceReader { WorkspaceReader(watcher: watcher, dialect: dialect) }

  /// Answers one resource.
  ///
  /// - Throws: ``Problem``.
  func answer(_ resource: WorkspaceResource, _ request: Request) async throws -> Response {
    await firstScan()
    var since: String?
    if case .delta(let text) = resource { since = EntityTag(text).description }
    let endpoint = ResourceEndpoint(
      WorkspaceReading(resource, reader),
      name: resource.route,
      options: Self.options,
      serving: serving
    )
    return try await endpoint.answer(request, Self.conditions(request.headers, since: since))
  }

  /// How clients of worktrees may read them: a revision asks for what changed since, also if that is nothing.
  private static let options: ServingOptions = {
    var options = ServingOptions()
    options.policy.vary = WorkspaceFields.vary
    options.policy.hasBodySince = true
    return options
  }()

  /// Reads the conditions of a request; the seed system sends tags without quotes.
  ///
  /// - Parameters:
  ///   - fields: The fields of the request.
  ///   - since: The revision that the request asks from, as a tag.
  /// - Returns: The conditions.
  static func conditions(_ fields: HTTPFields, since: String? = nil) -> ReadConditions {
    var conditions = ReadConditions(fields: fields, since: since)
    conditions.takesBareTags = true
    return conditions
  }

  /// After the start of a server, waits briefly until everything was scanned once, agents too.
  func firstScan() async {
    watcher.interest.note()
    guard !watcher.store.isReady else { return }
    await withTaskGroup { group in
      group.addTask {
        for await _ in watcher.store.ticks() where watcher.store.isReady { return }
      }
      group.addTask { try? await Task.sleep(for: .seconds(WorkspaceLimits.firstScan)) }
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
    await firstScan()
    var out = WorkspaceBytes(dialect)
    var parts: [WorkspaceBytes.Part] = []
    for part in batch.requests {
      parts.append(.init(path: part.path, answer: await answer(part)))
    }
    out.batch(parts)
    return Self.json(out.bytes)
  }

  private func answer(_ part: WorkspaceBatch.Request) async -> WorkspaceBytes.Part.Answer {
    guard let resource = WorkspaceResource(path: part.path) else {
      return .problem(Problem(.notFound, "not_found", detail: "there is nothing to read there"))
    }
    var fields = HTTPFields()
    fields[.ifNoneMatch] = part.ifNoneMatch
    let conditions = Self.conditions(fields)
    func isKnown(_ tag: EntityTag) -> Bool {
      conditions.names(RepresentationState(entityTag: tag))
    }
    do {
      if let tag = await reader.tag(resource), isKnown(tag) { return .unchanged(tag) }
      let (bytes, tag) = try await Self.failing { try await reader.body(resource) }
      return isKnown(tag) ? .unchanged(tag) : .content(bytes, tag)
    } catch let problem as Problem {
      return .problem(problem)
    } catch {
      return .problem(
        Problem(.internalServerError, "internal_error", detail: "the server failed to answer")
      )
    }
  }

  // MARK: Parts of answers

  /// The fields of everything that is read.
  static let fields: HTTPFields = [
    .cacheControl: "private, no-cache", .vary: WorkspaceFields.varyText,
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
