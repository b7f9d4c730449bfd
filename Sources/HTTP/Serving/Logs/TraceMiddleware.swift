import ConditionalHTTP
import HTTPTypes
package import Hummingbird
import Logging

/// Handles every request in its trace, and logs it; outside of all other middleware.
///
/// An answer repeats the `X-Request-Id` of its request, and a failure always has one: by it the log is found. Its
/// `traceparent` is not repeated, as there is no field for that in W3C Trace Context, level 2.
package struct TraceMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Creates the middleware.
  package init() {}

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let scope = TraceScope.of(request.head)
    let began = ContinuousClock.now
    return try await TraceScope.$current.withValue(scope) {
      var response = try await next(request, context)
      if let field = RequestIdentity.commonField,
        response.status.code >= 400 || request.headers[field] != nil
      {
        response.headers[field] = scope.requestID
      }
      // The path may be that of something secret.
      context.logger.debug(
        "a request is answered",
        metadata: [
          "method": "\(request.method.rawValue.prefix(20))",
          "route": "\(context.route ?? RouteMetrics.noRoute)",
          "status": "\(response.status.code)",
          "milliseconds": "\(began.duration(to: .now) / .milliseconds(1))",
        ]
      )
      if response.body.contentLength == nil {
        let body = response.body
        response.body = ResponseBody { [body] writer in
          let writer = writer
          try await TraceScope.$current.withValue(scope) { try await body.write(writer) }
        }
      }
      return response
    }
  }
}
