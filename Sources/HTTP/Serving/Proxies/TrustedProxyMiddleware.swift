package import Hummingbird

/// Passes the client of a request that a proxy forwarded to the next middleware.
package struct TrustedProxyMiddleware: RouterMiddleware {
  package typealias Context = ClientContext

  private let proxies: TrustedProxies
  private let isSecure: Bool

  /// Creates the middleware.
  ///
  /// - Parameters:
  ///   - proxies: The trusted proxies.
  ///   - isSecure: Whether connections are TLS.
  package init(_ proxies: TrustedProxies, isSecure: Bool) {
    self.proxies = proxies
    self.isSecure = isSecure
  }

  @concurrent
  package func handle(
    _ request: Request,
    context: ClientContext,
    next: @concurrent (Request, ClientContext) async throws -> Response
  ) async throws -> Response {
    let peer = context.remoteAddress.flatMap { IPAddress($0) }
    let client = proxies.client(of: peer, request.headers, isSecure: isSecure)
    var context = context
    context.network = client.address.map { ClientNetwork(address: $0.bytes) }
    context.isSecure = client.isSecure
    return try await next(request, context)
  }
}
