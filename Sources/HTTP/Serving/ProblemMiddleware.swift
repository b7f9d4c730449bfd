import HTTPTypes
package import Hummingbird
import Logging

/// Lets every failure leave as problem details: 405 for a method that a path does not accept, 404 for a path that does not
/// exist.
package struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  private let routes: RouteMethods
  private let absent: [AbsentService]

  /// Creates the middleware.
  ///
  /// - Parameters:
  ///   - routes: The methods of all paths; determined once all routes are registered.
  ///   - absent: The services that the server supports but does not run.
  package init(routes: RouteMethods, absent: [AbsentService] = []) {
    self.routes = routes
    self.absent = absent
  }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard !routes.isExcluded(request.method, request.uri.path) else {
      return missing(request)
    }
    do {
      return try await next(request, context)
    } catch let problem as Problem {
      return problem.response
    } catch let error as HTTPError where error.status == .notFound {
      return missing(request)
    } catch let error as HTTPError {
      return Problem(
        error.status,
        "bad_request",
        detail: error.body ?? error.status.reasonPhrase
      ).response
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let id = RequestIdentity.of(request)
      context.logger.error("request failed", metadata: ["error": "\(error)", "request": "\(id)"])
      var problem = Problem(
        .internalServerError,
        "internal_error",
        detail: "the server failed to answer; the failure is in its log as \(id)"
      )
      if let field = RequestIdentity.field { problem.fields[field] = id }
      return problem.response
    }
  }

  /// Why the router knows no answer.
  private func missing(_ request: Request) -> Response {
    let methods = routes.methods(of: request.uri.path).map(\.rawValue).joined(separator: ", ")
    guard !methods.isEmpty else {
      if let service = absent.first(where: { $0.has(request.uri.path) }) {
        return service.response(to: request)
      }
      return Problem(
        .notFound,
        "not_found",
        detail: "there is nothing at \(request.uri.path.prefix(80))"
      ).response
    }
    return Problem(
      .methodNotAllowed,
      "method_not_allowed",
      detail: "\(request.method.rawValue.prefix(20)) is not answered here; use \(methods)",
      fields: [.allow: methods]
    ).response
  }
}

/// A service that a server could have and was started without.
package struct AbsentService: Sendable {
  private let name: String
  private let option: String
  private let paths: [String]
  private let page: (path: String, render: @Sendable (Request) -> Response)?

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - name: The missing service, for display.
  ///   - option: The option that starts it.
  ///   - paths: The prefixes of its paths.
  ///   - page: The path of its page, and what a browser gets there instead.
  package init(
    _ name: String,
    option: String,
    paths: [String],
    page: (path: String, render: @Sendable (Request) -> Response)? = nil
  ) {
    self.name = name
    self.option = option
    self.paths = paths
    self.page = page
  }

  func has(_ path: String) -> Bool { paths.contains { path.hasPrefix($0) } }

  /// A page for a user who opens a page of the service, a problem for any other client.
  func response(to request: Request) -> Response {
    var problem = Problem(
      .notFound,
      "not_found",
      detail: "this server does not serve \(name); start it with: freshet serve \(option)"
    )
    guard let page, request.uri.path == page.path else { return problem.response }
    let isBrowser =
      request.headers[values: .accept].joined(separator: ",").lowercased().contains("text/html")
    if isBrowser, request.method == .get || request.method == .head { return page.render(request) }
    problem.fields[.vary] = "Accept"
    return problem.response
  }
}
