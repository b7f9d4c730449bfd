import HTTPTypes
package import Hummingbird
package import JobsServer
package import Logging
import Serving

/// The API of BooksTrack, as a view of the jobs; it has no state of its own.
///
/// Jobs that are started at its addresses carry a mark, and at addresses that both APIs have a job is reported in the
/// terms of the API that it was started with.
package struct BooksTrackDialectService: Sendable {
  /// The mark of its jobs.
  package static let mark = "bookstrack"

  /// The beginnings of its paths, which are for the app only.
  package static let paths = [
    "/api/import/", "/api/v2/imports", "/api/enrichment/", "/api/batch-enrich",
    "/api/scan-bookshelf",
    "/api/job-state/", "/api/token/", "/v1/enrichment/", "/v1/csv/", "/v1/scan/",
  ]

  let view: JobsView
  private let native: JobSocketAuthorizer
  private let logger: Logger

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - jobs: The jobs.
  ///   - acceptsBareIDs: Whether the id alone opens a job that the app started: parts of the app send no token.
  ///   - acceptsQueryTokens: Whether the query may have the token of such a job: parts of the app send it there.
  ///   - logger: Where failures are logged.
  package init(
    _ jobs: JobsService,
    acceptsBareIDs: Bool,
    acceptsQueryTokens: Bool,
    logger: Logger
  ) {
    view = jobs.view(
      dialect: Self.mark,
      acceptsBareIDs: acceptsBareIDs,
      acceptsQueryTokens: acceptsQueryTokens
    )
    native = jobs.authorizer
    self.logger = logger
  }

  /// Opens WebSockets for the server, the native ones too.
  package var authorizer: BooksTrackAuthorizer {
    BooksTrackAuthorizer(view: view, native: native, logger: logger)
  }

  /// Adds the endpoints, before those of the jobs: it answers for its own jobs where both have an address.
  package func add(to router: Router<some RequestContext>) {
    router.add(middleware: BooksTrackShared(jobs: BooksTrackJobs(view: view), native: native))
    let group = view.guarded(router.group().add(middleware: BooksTrackProblems(view: view)))
    BooksTrackStarts(view: view).add(to: group)
    BooksTrackJobs(view: view).add(to: group)
  }
}

/// Answers for the app's jobs at addresses that the native API has too.
struct BooksTrackShared<Context: RequestContext>: RouterMiddleware {
  private static var prefix: String { "/v1/jobs/" }

  /// What a request asks for.
  private enum Wanted {
    case results, cancellation, socket
  }

  let jobs: BooksTrackJobs
  let native: JobSocketAuthorizer

  @concurrent
  func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard let (id, wanted) = Self.place(request), jobs.view.refusal(request.head) == nil else {
      return try await next(request, context)
    }
    let credential = jobs.credential(request)
    // A client that offers the native subprotocol gets native responses.
    let isNative = credential?.1?.hasPrefix(JobSocketAuthorizer.subprotocol) ?? false
    guard !isNative, (try? await jobs.view.answers(for: id, credential?.0)) == true else {
      return try await next(request, context)
    }
    return try await BooksTrackProblems<Context>(view: jobs.view).handle(
      request,
      context: context
    ) { request, _ in
      switch wanted {
      case .results: try await jobs.results(request, id: id)
      case .cancellation: try await jobs.cancel(request, id: id)
      case .socket: throw try await jobs.refusal(ofSocket: request, id: id, native)
      }
    }
  }

  /// The job of `DELETE /v1/jobs/{id}`, `GET /v1/jobs/{id}/results`, and a `GET /ws/progress?jobId={id}` that did not
  /// become a socket.
  private static func place(_ request: Request) -> (id: String, Wanted)? {
    if JobSocketAuthorizer.isPath(request.uri.path) {
      return request.method == .get ? QueryItems(request)["jobId"].map { ($0, .socket) } : nil
    }
    guard request.uri.path.hasPrefix(prefix) else { return nil }
    var parts = request.uri.path.dropFirst(prefix.count).split(
      separator: "/",
      omittingEmptySubsequences: false
    )
    // As the router of all other addresses, which passes a slash at the end.
    if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    switch (request.method, parts.count) {
    case (.delete, 1): return (String(parts[0]), .cancellation)
    case (.get, 2) where parts[1] == "results": return (String(parts[0]), .results)
    default: return nil
    }
  }
}
