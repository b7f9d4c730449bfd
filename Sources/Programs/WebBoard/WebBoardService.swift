import ConditionalHTTP
import HTTPTypes
package import Hummingbird
import NIOCore
import Serving

/// The pages: the web board at `/`, the pages of the parts that are served, their files under
/// `/assets/`, `/openapi.json`, and `/openapi-workspaces.json` and `/openapi-jobs.json` with their parts.
package struct WebBoardService: Sendable {
  /// A part of the server with a page of its own.
  package enum Part: String, CaseIterable, Sendable {
    /// Worktrees and the agents in them, at `/workspaces`.
    case workspaces
    /// Jobs, at `/jobs`.
    case jobs

    /// The path of the page.
    package var path: String { "/\(rawValue)" }
  }

  private let parts: Set<Part>
  /// The pages by file name, without the lines about parts that are off.
  private let pages: [String: WebAsset]

  /// Creates the service.
  ///
  /// - Parameter parts: The parts that are served; the pages of others are not there, and nothing
  ///   leads to them.
  package init(parts: Set<Part> = []) {
    self.parts = parts
    let off = Part.allCases.filter { !parts.contains($0) }.map(\.rawValue)
    var pages: [String: WebAsset] = [:]
    for asset in WebAsset.all.values
    where asset.isPage && asset.name != Self.absentPage && !off.contains(asset.stem) {
      pages[asset.name] = asset.without(services: off)
    }
    self.pages = pages
  }

  /// Adds the pages to a router.
  package func add(to router: Router<some RequestContext>) {
    router.get("/") { request, _ in try answer("index.html", request) }
    for part in parts {
      router.get("\(part.rawValue)") { request, _ in
        try answer("\(part.rawValue).html", request)
      }
    }
    router.get("assets/:name") { request, context in
      try answer(context.parameters.get("name") ?? "", request)
    }
    router.get("openapi.json") { request, _ in try answer("openapi.json", request) }
    for part in parts {
      let name = "openapi-\(part.rawValue).json"
      router.get(RouterPath(name)) { request, _ in try answer(name, request) }
    }
    // A service worker is in charge of the folder it comes from.
    router.get("service-worker.js") { request, _ in try answer("service-worker.js", request) }
    router.get("favicon.ico") { request, _ in try answer("icon.svg", request) }
  }

  /// The name of the page about a part that is not served.
  private static let absentPage = "absent.html"

  /// The page in the place of that of a part that is not served: 404, and how the part is started.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - option: The option that starts it.
  ///   - language: `fr`, `de`, `it`; English for others.
  /// - Returns: The page.
  package static func page(
    insteadOf part: Part,
    option: String,
    language: String?
  ) -> Response {
    let others = Part.allCases.filter { $0 != part }.map(\.rawValue)
    let page = WebAsset.all[absentPage]?.without(services: others, languagesBut: language ?? "en")
    let text = page.map { String(decoding: $0.body.readableBytesView, as: UTF8.self) } ?? ""
    return Response(
      status: .notFound,
      headers: [
        .contentType: "text/html; charset=utf-8",
        .cacheControl: "no-store",
        .vary: "Accept, Accept-Language",
        .xContentTypeOptions: "nosniff",
        .contentSecurityPolicy: contentSecurityPolicy + "; frame-ancestors 'none'",
        .referrerPolicy: "same-origin",
      ],
      body: ResponseBody(
        byteBuffer: ByteBuffer(
          string: text.split(separator: "{option}", omittingEmptySubsequences: false).joined(
            separator: option
          )
        )
      )
    )
  }

  /// A file, or 304 if the browser has it.
  private func answer(_ name: String, _ request: Request) throws -> Response {
    let found = WebAsset.all[name]
    guard let asset = found?.isPage == true ? pages[name] : found else {
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
    if asset.isPage {
      // A board may stand in other pages; a page whose buttons change something may not.
      headers[.contentSecurityPolicy] =
        Self.contentSecurityPolicy
        + (asset.name == "index.html" ? "" : "; frame-ancestors 'none'")
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
