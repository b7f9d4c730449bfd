package import Hummingbird

/// Refuses every request whose `Host` is repeated, invalid, or missing where it has to be, with 400, and every one whose
/// content comes in codings that are not supported, with 501.
package struct RequestHeadMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Creates the middleware.
  package init() {}

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard HostField.isSound(request.head) else { throw OriginGuard.Refusal.hosts.problem }
    if let refusal = TransferCoding.refusal(of: request.head) { throw refusal }
    return try await next(request, context)
  }
}
