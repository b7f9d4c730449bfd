import HTTPTypes
package import Hummingbird

/// Asks browsers to use HTTPS only for this host (RFC 6797).
///
/// Not for the names of the machine itself: the field counts for every port of a host, so a person who tries a server on
/// localhost would lose the others there.
package struct StrictTransportMiddleware: RouterMiddleware {
  package typealias Context = ClientContext

  private let value: String

  /// Creates the middleware.
  ///
  /// - Parameter seconds: For how long browsers remember it.
  package init(seconds: Int) { value = "max-age=\(seconds)" }

  @concurrent
  package func handle(
    _ request: Request,
    context: ClientContext,
    next: @concurrent (Request, ClientContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    let name = request.head.authority.flatMap { OriginGuard.name($0) }
    if context.isSecure, let name, !OriginGuard.loopbackHosts.contains(name) {
      response.headers[.strictTransportSecurity] = value
    }
    return response
  }
}
