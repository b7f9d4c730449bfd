import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization

/// `GET /health/live` and `GET /health/ready`: whether the server runs, and whether it can do what it was asked to.
package final class HealthService: Sendable {
  /// Reads all dependencies.
  package typealias Read = @Sendable () async -> [DependencyReading]

  /// How often dependencies are read, in seconds.
  package static let readSeconds = 2.0
  /// When a client that found the server not ready should ask again, in seconds.
  package static let retryAfter = 2

  private struct State {
    var dependencies = DependencyStates()
    var isDraining = false
  }

  private let state = Mutex(State())
  private let access: OperatorAccess
  private let clients: @Sendable () -> [AdmissionControl.Client]
  private let read: Read

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - access: Which clients see the dependencies.
  ///   - clients: Returns the clients with most work, for operators.
  ///   - read: Reads the dependencies.
  package init(
    access: OperatorAccess,
    clients: @escaping @Sendable () -> [AdmissionControl.Client] = { [] },
    read: @escaping Read
  ) {
    self.access = access
    self.clients = clients
    self.read = read
  }

  /// Reads the dependencies, until the task is canceled.
  package func run() async {
    while !Task.isCancelled {
      let readings = await read()
      let now = Date.now.timeIntervalSince1970
      state.withLock { $0.dependencies.update(readings, now: now) }
      try? await Task.sleep(for: .seconds(Self.readSeconds))
    }
  }

  /// Whether the server is about to end.
  package var isDraining: Bool { state.withLock { $0.isDraining } }

  /// Says from now on that the server is not ready, so that load balancers send their clients elsewhere.
  package func drain() { state.withLock { $0.isDraining = true } }

  /// Adds the endpoints.
  package func add(to router: Router<ClientContext>) {
    router.get("health/live") { _, _ in
      Self.response(Answer(ok: true, status: .live, dependencies: nil, clients: nil))
    }
    router.get("health/ready") { request, context in
      self.ready(request, context)
    }
  }

  private func ready(_ request: Request, _ context: ClientContext) -> Response {
    let state = state.withLock { $0 }
    let isReady = state.dependencies.isReady && !state.isDraining
    let isOperator = access.allows(request.head, isLocal: context.isPeerLocal)
    let shown = state.dependencies.entries.map { entry in
      Dependency(
        name: entry.reading.name,
        state: entry.reading.state,
        since: Date(timeIntervalSince1970: entry.since).formatted(.iso8601),
        required: entry.reading.isRequired,
        detail: entry.reading.detail
      )
    }
    let status: Answer.Status = state.isDraining ? .draining : isReady ? .ready : .notReady
    return Self.response(
      Answer(
        ok: isReady,
        status: status,
        dependencies: isOperator ? shown : nil,
        clients: isOperator ? clients() : nil
      )
    )
  }

  /// The body of an answer: `Readiness` of the OpenAPI document.
  struct Answer: Encodable {
    /// Whether the server can do what it was asked to.
    enum Status: String, Encodable, CaseIterable {
      case live, ready
      case notReady = "not_ready"
      /// It is about to end.
      case draining
    }

    var ok: Bool
    var status: Status
    var dependencies: [Dependency]?
    var clients: [AdmissionControl.Client]?
  }

  /// A dependency, for operators.
  struct Dependency: Encodable {
    var name: String
    var state: DependencyReading.State
    var since: String
    var required: Bool
    var detail: String?
  }

  private static func response(_ answer: Answer) -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = (try? encoder.encode(answer)) ?? Data()
    var headers: HTTPFields = [
      .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
    ]
    if !answer.ok { headers[.retryAfter] = String(retryAfter) }
    return Response(
      status: answer.ok ? .ok : .serviceUnavailable,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    )
  }
}

/// Asks clients to leave while the server drains: responses end their connections, so that none is cut between two requests.
package struct DrainMiddleware<Context: RequestContext>: RouterMiddleware {
  private let health: HealthService

  /// Creates the middleware.
  package init(_ health: HealthService) { self.health = health }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    if health.isDraining { response.headers[.connection] = "close" }
    return response
  }
}
