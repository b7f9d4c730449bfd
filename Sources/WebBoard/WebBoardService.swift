import ConditionalHTTP
import HTTPTypes
package import Hummingbird
import Serving

/// The pages: the web board at `/`, its files under `/assets/`, `/openapi.json` and `/openapi-jobs.json`.
package struct WebBoardService: Sendable {
  /// Creates the service.
  package init() {}

  /// Adds the pages to a router.
  package func add(to router: Router<some RequestContext>) {
    router.get("/") { request, _ in try Self.answer("index.html", request) }
    router.get("assets/:name") { request, context in
      try Self.answer(context.parameters.get("name") ?? "", request)
    }
    for name in ["openapi.json", "openapi-jobs.json"] {
      router.get(RouterPath(name)) { request, _ in try Self.answer(name, request) }
    }
    // A service worker is in charge of the folder it comes from.
    router.get("service-worker.js") { request, _ in try Self.answer("service-worker.js", request) }
    router.get("favicon.ico") { request, _ in try Self.answer("icon.svg", request) }
  }

  /// A file, or 304 if the browser has it.
  private static func answer(_ name: String, _ request: Request) throws -> Response {
    guard let asset = WebAsset.all[name] else {
      throw Problem(.notFound, "not_found", detail: "there is no file \"\(name.prefix(80))\"")
    }
    var headers: HTTPFields = [
      .eTag: asset.entityTag.description,
      .cacheControl: "no-cache",
      .xContentTypeOptions: "nosniff",
    ]
    if let known = request.headers[.ifNoneMatch], asset.entityTag.matches(ifNoneMatch: known) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = asset.mediaType
    if asset.mediaType.hasPrefix("text/html") {
      headers[.contentSecurityPolicy] = contentSecurityPolicy
      headers[.referrerPolicy] = "same-origin"
    }
    return Response(
      status: .ok,
      headers: headers,
      body: ResponseBody(byteBuffer: asset.body)
    )
  }

  /// `wasm-unsafe-eval` lets the page compile the refresh machine; it allows no evaluation of text.
  private static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:;"
    + " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'"
}

extension HTTPField.Name {
  fileprivate static let referrerPolicy = Self("referrer-policy") ?? .contentType
}
