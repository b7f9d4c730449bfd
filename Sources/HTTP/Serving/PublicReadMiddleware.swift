import HTTPTypes
package import Hummingbird

/// Gives every answer of the API a request id and the contract's version, and opens the public, read-only part of a
/// server to pages of other origins (Fetch standard, CORS protocol).
///
/// Pages and their files get none of it: a file that is cached for a year has no request to name.
package struct PublicReadMiddleware<Context: RequestContext>: RouterMiddleware {
  private let apiVersion: String
  private let origins: [String]
  /// Made once: the validation of its long value would be a fiftieth of the time of a short response.
  private let exposed: HTTPField
  private let hidden: [String]
  private let routes: RouteMethods
  private let versionField = HTTPField.Name("x-md-api-version")

  /// Creates the middleware.
  ///
  /// - Parameters:
  ///   - apiVersion: The value of `X-MD-Api-Version`.
  ///   - origins: The origins whose pages may read; empty for any.
  ///   - exposed: The header fields that scripts of other origins may read.
  ///   - hidden: The prefixes of paths that are not public.
  ///   - routes: The methods of all paths; determined once all routes are registered.
  package init(
    apiVersion: String,
    origins: [String] = [],
    exposed: [String],
    hidden: [String] = [],
    routes: RouteMethods
  ) {
    self.hidden = hidden
    self.routes = routes
    self.apiVersion = apiVersion
    self.origins = origins
    self.exposed = HTTPField(
      name: .accessControlExposeHeaders,
      value: exposed.joined(separator: ", ")
    )
  }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    if hidden.contains(where: { request.uri.path.hasPrefix($0) }) {
      return try await next(request, context)
    }
    let isPreflight =
      request.method == .options && request.headers[.accessControlRequestMethod] != nil
    var response =
      if request.method == .options, let allowed = allowed(request.uri.path) {
        Response(withoutContent: .noContent, [.allow: allowed])
      } else {
        try await next(request, context)
      }
    if response.status == .methodNotAllowed, let methods = response.headers[.allow] {
      response.headers[.allow] = methods + ", OPTIONS"
    }
    if Self.isPage(request.uri.path) { return response }
    share(&response, with: request.headers[.origin], isPreflight: isPreflight)
    if let field = RequestIdentity.field, !response.headers.contains(field) {
      response.headers[field] = RequestIdentity.of(request)
    }
    if let versionField {
      response.headers.append(HTTPField(name: versionField, value: apiVersion))
    }
    return response
  }

  /// The methods of a path; `nil` if no route has the path.
  private func allowed(_ path: String) -> String? {
    let methods = routes.methods(of: path).map(\.rawValue)
    return methods.isEmpty ? nil : (methods + ["OPTIONS"]).joined(separator: ", ")
  }

  /// Whether a path is a page, which other origins may not read.
  private static func isPage(_ path: String) -> Bool {
    path == "/" || path.hasPrefix("/assets/") || path == "/favicon.ico"
  }

  /// Adds the fields of CORS, which nothing else sets: setting a field would search the existing ones.
  private func share(_ response: inout Response, with origin: String?, isPreflight: Bool) {
    if origins.isEmpty {
      response.headers.append(HTTPField(name: .accessControlAllowOrigin, value: "*"))
    } else {
      if let origin, origins.contains(origin) {
        response.headers.append(HTTPField(name: .accessControlAllowOrigin, value: origin))
      }
      if response.headers[.vary]?.contains("Origin") != true {
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
      }
    }
    response.headers.append(exposed)
    guard isPreflight else { return }
    response.headers[.accessControlAllowMethods] = "GET, HEAD"
    response.headers[.accessControlAllowHeaders] =
      "x-md-request-id, x-request-id, traceparent, tracestate, if-none-match, accept-language, prefer, last-event-id, x-md-receipt-after"
    response.headers[.accessControlMaxAge] = "86400"
  }
}
