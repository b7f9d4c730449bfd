import HTTPTypes
package import Hummingbird

/// Opens the public, read-only part of a server to pages of any origin, and names the contract's
/// version on every answer.
package struct PublicReadMiddleware<Context: RequestContext>: RouterMiddleware {
  private let apiVersion: String
  private let versionField: HTTPField.Name?
  private let exposed: String

  /// Creates the middleware.
  ///
  /// - Parameters:
  ///   - apiVersion: The value of `X-MD-Api-Version`.
  ///   - exposed: The header fields that scripts of other origins may read.
  package init(apiVersion: String, exposed: [String]) {
    self.apiVersion = apiVersion
    self.exposed = exposed.joined(separator: ", ")
    versionField = HTTPField.Name("x-md-api-version")
  }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let isPreflight =
      request.method == .options && request.headers[.accessControlRequestMethod] != nil
    var response =
      if request.method == .options {
        Response(status: .noContent, headers: [.allow: "GET, HEAD, OPTIONS"])
      } else {
        try await next(request, context)
      }
    response.headers[.accessControlAllowOrigin] = "*"
    response.headers[.accessControlExposeHeaders] = exposed
    if isPreflight {
      response.headers[.accessControlAllowMethods] = "GET, HEAD"
      response.headers[.accessControlAllowHeaders] =
        "x-md-request-id, x-request-id, if-none-match, accept-language"
      response.headers[.accessControlMaxAge] = "86400"
    }
    if let field = RequestIdentity.field, response.headers[field] == nil {
      response.headers[field] = RequestIdentity.of(request)
    }
    if let versionField { response.headers[versionField] = apiVersion }
    return response
  }
}
