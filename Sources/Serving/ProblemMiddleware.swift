import HTTPTypes
package import Hummingbird
import Logging

/// Lets every failure leave as problem details: 405 for a method that a path does not take, 404 for a path that does not
/// exist.
package struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  private let routes: RouteMethods

  /// Creates the middleware.
  ///
  /// - Parameter routes: The methods of all paths; learnt once all of them are there.
  package init(routes: RouteMethods) { self.routes = routes }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let problem as Problem {
      return problem.response
    } catch let error as HTTPError where error.status == .notFound {
      return missing(request).response
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
  private func missing(_ request: Request) -> Problem {
    let methods = routes.methods(of: request.uri.path).map(\.rawValue).joined(separator: ", ")
    guard !methods.isEmpty else {
      return Problem(
        .notFound,
        "not_found",
        detail: "there is nothing at \(request.uri.path.prefix(80))"
      )
    }
    return Problem(
      .methodNotAllowed,
      "method_not_allowed",
      detail: "\(request.method.rawValue.prefix(20)) is not answered here; use \(methods)",
      fields: [.allow: methods]
    )
  }
}
