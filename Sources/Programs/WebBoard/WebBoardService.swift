import CWebAssets
import ConditionalHTTP
import HTTPTypes
package import Hummingbird
import NIOCore
import Serving

/// The pages: the web board at `/`, the server's status at `/status`, the pages of the parts that are served, their files under
/// `/assets/` with the hash of their content in their names, `/openapi.json`, and `/openapi-workspaces.json` and `/openapi-jobs.json` with their parts.
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

  /// Returns the language of a page for a `lang` parameter and an `Accept-Language` field; `nil` for
  /// one that cannot be determined.
  package typealias LanguageChoice =
    @Sendable (_ parameter: String?, _ acceptLanguage: String?) -> String?

  private let parts: Set<Part>
  private let language: LanguageChoice
  /// The pages by file name, for the parts that are served.
  private let pages: [String: WebAsset]

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - parts: The parts to serve; pages of other parts do not exist, and no link leads to
  ///     them.
  ///   - language: The language whose messages a page will most likely load: it is named in the
  ///     answer's `Link` field, so that the browser need not wait for the script that asks for them.
  package init(parts: Set<Part> = [], language: @escaping LanguageChoice = { _, _ in nil }) {
    self.parts = parts
    self.language = language
    let off = Part.allCases.filter { !parts.contains($0) }.map(\.rawValue)
    var pages: [String: WebAsset] = [:]
    for stem in ["index", Self.status] + parts.map(\.rawValue) {
      // The pages are prepared for every choice of parts (Scripts/web_assets.py).
      let variant = ([stem] + off.sorted().map { "no-\($0)" }).joined(separator: "-")
      pages["\(stem).html"] = WebAsset.all["\(variant).html"]
    }
    self.pages = pages
  }

  /// Adds the pages to a router.
  package func add(to router: Router<some RequestContext>) {
    router.get("/") { request, _ in try answer("index.html", request) }
    router.get("status") { request, _ in try answer("\(Self.status).html", request) }
    for part in parts {
      router.get("\(part.rawValue)") { request, _ in
        try answer("\(part.rawValue).html", request)
      }
    }
    router.get("assets/:name") { request, context in
      try file(context.parameters.get("name") ?? "", request)
    }
    router.get("openapi.json") { request, _ in try answer("openapi.json", request) }
    for part in parts {
      let name = "openapi-\(part.rawValue).json"
      router.get(RouterPath(name)) { request, _ in try answer(name, request) }
    }
    // A service worker is in charge of the folder it comes from.
    router.get("service-worker.js") { request, _ in try answer(Self.serviceWorker, request) }
    router.get("favicon.ico") { request, _ in try answer("icon.svg", request) }
  }

  /// The name of the page of the status, and its path.
  private static let status = "status"
  /// The path of the page of the status.
  package static let statusPath = "/status"

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

  /// Returns a file under `/assets/`, or 304 if the client has it.
  ///
  /// A name with the hash of the content never represents other content; a client need not ask for
  /// it again within a year (RFC 8246). Without the hash it is the present file.
  private func file(_ name: String, _ request: Request) throws -> Response {
    let hashed = WebAsset.hashed[name]
    guard let asset = hashed ?? WebAsset.all[name], asset.kind == .hashed else {
      throw Self.absent(name)
    }
    let chosen = asset.representation(for: AcceptEncoding(fields: request.headers))
    var headers: HTTPFields = [
      .eTag: chosen.entityTag.description,
      .cacheControl: hashed == nil ? "no-cache" : "public, max-age=31536000, immutable",
      .vary: "Accept-Encoding",
      .xContentTypeOptions: "nosniff",
    ]
    if let known = request.headers[.ifNoneMatch], chosen.entityTag.matches(ifNoneMatch: known) {
      return Response(withoutContent: .notModified, headers)
    }
    headers[.contentType] = asset.mediaType
    headers[.contentEncoding] = chosen.coding
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: chosen.body))
  }

  private static func absent(_ name: String) -> Problem {
    Problem(.notFound, "not_found", detail: "there is no file \"\(name.prefix(80))\"")
  }

  /// Returns a page or a document, or 304 if the client has it.
  private func answer(_ name: String, _ request: Request) throws -> Response {
    guard let asset = pages[name] ?? WebAsset.all[name] else { throw Self.absent(name) }
    let chosen = asset.representation(for: AcceptEncoding(fields: request.headers))
    var headers: HTTPFields = [
      .eTag: chosen.entityTag.description,
      .cacheControl: name == Self.serviceWorker ? Self.serviceWorkerCaching : "no-cache",
      .xContentTypeOptions: "nosniff",
    ]
    if asset.isPage {
      headers[.vary] = "Accept-Language, Accept-Encoding"
      headers[.link] = messages(of: name, request)
    }
    if let known = request.headers[.ifNoneMatch], chosen.entityTag.matches(ifNoneMatch: known) {
      return Response(withoutContent: .notModified, headers)
    }
    headers[.contentType] = asset.mediaType
    headers[.contentEncoding] = chosen.coding
    if asset.isPage {
      // Other pages may embed a board, but not a page whose buttons change something.
      headers[.contentSecurityPolicy] =
        Self.contentSecurityPolicy
        + (name == "index.html" ? "" : "; frame-ancestors 'none'")
      headers[.referrerPolicy] = "same-origin"
    }
    return Response(
      status: .ok,
      headers: headers,
      body: ResponseBody(byteBuffer: chosen.body)
    )
  }

  /// The `Link` field (RFC 8288) of a page: the messages that its script will ask for.
  private func messages(of page: String, _ request: Request) -> String? {
    let language = language(
      request.uri.queryParameters["lang"].map(String.init),
      request.headers[.acceptLanguage]
    )
    let scripts = [
      "index.html": "board", "status.html": "status", "workspaces.html": "worktrees",
      "jobs.html": "jobs",
    ]
    guard let script = scripts[page] else { return nil }
    return WebAsset.all["messages-\(language ?? "en")-\(script).js"].map {
      "</assets/\($0.hashedName)>; rel=modulepreload"
    }
  }

  private static let serviceWorker = "service-worker.js"
  /// How long a browser runs a service worker before it asks for a newer one: the script has no part
  /// of the pages in it, and finds a newer page by itself.
  private static let serviceWorkerCaching = "public, max-age=3600"

  /// `wasm-unsafe-eval` lets the page compile the refresh machine; it allows no evaluation of text.
  private static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:;"
    + " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'"
}

extension HTTPField.Name {
  fileprivate static let link = Self("link") ?? .contentType
  fileprivate static let referrerPolicy = Self("referrer-policy") ?? .contentType
}
