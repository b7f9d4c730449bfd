import HTTPTypes
package import Hummingbird
import Logging

/// Lets every failure leave as problem details, and refuses methods that nothing here answers.
package struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  private let writable: [String]

  /// Creates the middleware.
  ///
  /// - Parameter writable: What paths begin with under which other methods are answered too.
  package init(writable: [String] = []) { self.writable = writable }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let isWritable = writable.contains { request.uri.path.hasPrefix($0) }
    guard isWritable || [.get, .head, .options].contains(request.method) else {
      return Problem(
        .methodNotAllowed,
        "method_not_allowed",
        detail: "\(request.method.rawValue) is not answered here; use GET or HEAD",
        fields: [.allow: "GET, HEAD, OPTIONS"]
      ).response
    }
    do {
      return try await next(request, context)
    } catch let problem as Problem {
      return problem.response
    } catch let error as HTTPError where error.status == .notFound {
      return Problem(
        .notFound,
        "not_found",
        detail: "there is nothing at \(request.uri.path.prefix(80))"
      ).response
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
}
