import Demonstration
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Serving
import Synchronization

/// Serves the panel of a demonstration, on a port of its own that stays reachable whatever is broken.
///
/// Requests that read or change something carry a token that only the panel has, the name of this machine as `Host`, and
/// the panel's own origin; other pages in the same browser have none of them.
final class DemoControl: Sendable {
  private struct Place {
    var panel = 0
    var pages = 0
    var driver: DemoDriver?
  }

  private let state: DemoState
  private let books: Int
  private let token = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
    .joined()
  private let place = Mutex(Place())

  /// Creates a control that drives nothing yet; an import has `books` books.
  init(state: DemoState, books: Int) {
    self.state = state
    self.books = books
  }

  /// The ports of the panel and of the pages.
  func open(panel: Int, pages: Int) {
    place.withLock { place in
      place.panel = panel
      place.pages = pages
    }
  }

  /// What carries out changes.
  func drive(_ driver: DemoDriver) { place.withLock { $0.driver = driver } }

  /// Returns what serves.
  ///
  /// - Parameters:
  ///   - logger: Logs failures.
  ///   - onRunning: Called with the port once it is open.
  /// - Returns: The application.
  func application(
    logger: Logger,
    onRunning: @escaping @Sendable (Int) -> Void
  ) -> some ApplicationProtocol {
    let listener = ServerListener()
    return Application(
      router: router(),
      server: listener.server(),
      configuration: ApplicationConfiguration(
        address: .hostname("127.0.0.1", port: 0),
        serverName: "freshet",
        availableConnectionsDelegate: listener.availability
      ),
      onServerRunning: { channel in onRunning(channel.localAddress?.port ?? 0) },
      logger: logger
    )
  }

  private func router() -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    let routes = RouteMethods()
    router.add(middleware: ProblemMiddleware(routes: routes))
    router.add(middleware: RequestHeadMiddleware())
    for (path, file) in [
      ("insert.js", PanelFile.insertion), ("panel.js", .script), ("panel.css", .style),
    ] {
      router.get(RouterPath(path)) { request, _ in
        try self.checkHost(request)
        return Self.answer(file)
      }
    }
    router.get("/") { request, _ in try self.panel(request) }
    router.get("panel") { request, _ in try self.panel(request) }
    router.get("state") { request, _ in
      try self.check(request)
      return try self.answer(request)
    }
    router.delete("broken") { request, _ in
      try await self.change(request) { $0 = Breakage() }
    }
    router.put("broken/:fault") { request, context in
      let fault = try Self.fault(context.parameters.get("fault"))
      return try await self.change(request) { $0.set(fault, isBroken: true) }
    }
    router.delete("broken/:fault") { request, context in
      let fault = try Self.fault(context.parameters.get("fault"))
      return try await self.change(request) { $0.set(fault, isBroken: false) }
    }
    router.post("books") { request, _ in try self.list(request, isFirst: false) }
    router.post("books/first") { request, _ in try self.list(request, isFirst: true) }
    routes.learn(from: router)
    return router
  }

  // MARK: Callers

  /// The names by which a browser of this machine calls a port of it.
  private static func origins(_ port: Int) -> [String] {
    ["http://127.0.0.1:\(port)", "http://localhost:\(port)"]
  }

  /// - Throws: ``Problem`` 421 for a page whose name was made to mean this machine (DNS rebinding).
  private func checkHost(_ request: Request) throws {
    let port = place.withLock(\.panel)
    let host = request.head.authority ?? ""
    guard Self.origins(port).contains("http://\(host)") else {
      throw Problem(
        .misdirectedRequest,
        "host_forbidden",
        detail: "the panel is at 127.0.0.1:\(port)"
      )
    }
  }

  /// - Throws: ``Problem`` 403 for a request that is not the panel's.
  private func check(_ request: Request) throws {
    try checkHost(request)
    let origin = request.headers[.origin]
    let isOwn = origin.map { Self.origins(place.withLock(\.panel)).contains($0) } ?? true
    let sent = Array((request.headers[.demoToken] ?? "").utf8)
    let own = Array(token.utf8)
    let differs = zip(sent, own).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
    guard isOwn, sent.count == own.count, differs == 0 else {
      throw Problem(
        .forbidden,
        "not_the_panel",
        detail: "only the panel of this demonstration may do that; load its page again"
      )
    }
  }

  private static func fault(_ name: String?) throws -> Fault {
    guard let fault = name.flatMap({ Fault(rawValue: $0) }) else {
      let names = Fault.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.notFound, "not_found", detail: "what can be broken: \(names)")
    }
    return fault
  }

  // MARK: Answers

  private func panel(_ request: Request) throws -> Response {
    try checkHost(request)
    let place = place.withLock(\.self)
    let origins = Self.origins(place.pages)
    let page = request.uri.queryParameters["page"].flatMap { DemoPage(rawValue: String($0)) }
    var response = Self.answer(.panel(of: page, token: token, origins: origins, books: books))
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors \(origins.joined(separator: " "))"
    return response
  }

  private static func answer(_ file: PanelFile) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: file.mediaType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
      ],
      body: .init(byteBuffer: ByteBuffer(string: file.text))
    )
  }

  private func change(
    _ request: Request,
    _ change: @escaping @Sendable (inout Breakage) -> Void
  ) async throws -> Response {
    try check(request)
    guard let driver = place.withLock(\.driver) else {
      throw Problem(
        .serviceUnavailable,
        "starting",
        detail: "the demonstration is not ready yet"
      )
    }
    try await driver.change(change)
    return try answer(request)
  }

  /// The state, as the panel of a page shows it.
  private struct Body: Encodable {
    struct Item: Encodable {
      var id: String
      var title: String
      var what: String
      var see: String
      var isBroken: Bool
    }
    var faults: [Item]
    /// How many things are broken that are not among them.
    var elsewhere: Int
    /// How long ago the data was made that the page shows, in milliseconds.
    var truthAge: Int64?
    /// Whether its stamp is wrong, and the age counts from its arrival.
    var isStampWrong: Bool
    /// Whether the producer is mended, and the server has not asked it since.
    var isRecovering: Bool
    /// How many seconds the clock of the page is ahead.
    var clockAhead: Int64
  }

  private func answer(_ request: Request) throws -> Response {
    let page = request.uri.queryParameters["page"].flatMap { DemoPage(rawValue: String($0)) }
    let broken = state.breakage.faults
    let shown = Fault.allCases.filter { page.map($0.pages.contains) ?? true }
    let publication = page == .worktrees || page == .jobs ? nil : publication(request)
    let body = Body(
      faults: shown.map { fault in
        let text = fault.text(on: page ?? .board)
        return Body.Item(
          id: fault.rawValue,
          title: text.title,
          what: text.what,
          see: text.see,
          isBroken: broken.contains(fault)
        )
      },
      elsewhere: broken.subtracting(shown).count,
      truthAge: publication.map { DemoState.now - $0.ageCountsFrom },
      isStampWrong: publication.map { !$0.isStampRight } ?? false,
      isRecovering: page == .worktrees || page == .jobs ? false : state.isRecovering,
      clockAhead: broken.contains(.browserClock) ? Fault.clockAhead : 0
    )
    return Response(
      status: .ok,
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(body)))
    )
  }

  /// Returns the publication that the last board of the page was made of; the newest if the page says nothing of one.
  ///
  /// The parameter `stated` is the time at which the board says that its data was made, in milliseconds since
  /// 1970-01-01T00:00:00Z; `answered` is how many milliseconds ago the board arrived.
  private func publication(_ request: Request) -> SourceGroundTruth.Publication? {
    let query = request.uri.queryParameters
    guard let ago = query["answered"].flatMap({ Int64($0) }), (0...Int64(Int32.max)).contains(ago)
    else { return state.truth.newest }
    return state.truth.publication(
      stated: query["stated"].flatMap { Int64($0) },
      answeredAt: DemoState.now - ago
    )
  }

  /// The next list of books, as a file; 204 if a first one was asked for and there was one.
  private func list(_ request: Request, isFirst: Bool) throws -> Response {
    try check(request)
    guard let number = state.nextList(isFirst: isFirst) else {
      return Response(status: .noContent)
    }
    let list = BookList(number: number, count: books)
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/csv; charset=utf-8", .cacheControl: "no-store", .demoName: list.name,
      ],
      body: .init(byteBuffer: ByteBuffer(string: list.text))
    )
  }
}

extension HTTPField.Name {
  fileprivate static let demoToken = Self("x-demo-token") ?? .authorization
  fileprivate static let demoName = Self("x-demo-name") ?? .contentDisposition
}
