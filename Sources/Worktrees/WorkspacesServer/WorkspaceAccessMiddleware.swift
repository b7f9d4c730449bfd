import HTTPTypes
package import Hummingbird
import Serving
import Workspaces

/// Admits only clients that may talk to the workspaces' part of a server.
///
/// It is attached to the routes themselves, so that no spelling of a path bypasses it.
package struct WorkspaceAccessMiddleware<Context: RequestContext>: RouterMiddleware {
  private let access: WorkspaceAccess
  private let policyField = HTTPField.Name("cross-origin-resource-policy")

  /// Creates the middleware.
  package init(_ access: WorkspaceAccess) { self.access = access }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    if let refusal = access.refusal(WorkspaceAccess.Facts(request.head)) {
      throw Self.problem(refusal)
    }
    var response = try await next(request, context)
    response.headers[.xContentTypeOptions] = "nosniff"
    if let policyField { response.headers[policyField] = "same-origin" }
    return response
  }

  private static func problem(_ refusal: WorkspaceAccess.Refusal) -> Problem {
    switch refusal {
    case .host:
      Problem(
        .hostForbidden,
        detail: "Host does not name this server; allow it with --allow-host"
      )
    case .origin:
      Problem(
        .originForbidden,
        detail: "pages of other origins may not ask"
      )
    case .hosts:
      Problem(
        .invalidHost,
        detail: "there is more than one Host"
      )
    case .token:
      Problem(
        .unauthorized,
        detail: "a bearer token is needed in Authorization",
        fields: [.wwwAuthenticate: "Bearer"]
      )
    }
  }
}
