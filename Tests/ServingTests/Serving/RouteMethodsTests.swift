import HTTPTypes
import Hummingbird
import Testing

@testable import Serving

@Suite struct `The methods of a path` {
  private let routes = RouteMethods()

  init() {
    let router = Router(context: BasicRequestContext.self)
    let answer = { @Sendable (_: Request, _: BasicRequestContext) in Response(status: .ok) }
    router.get("/", use: answer)
    router.get("a/b", use: answer)
    router.delete("a/:id", use: answer)
    router.get("a/:id", use: answer)
    router.post("a/:id/do", use: answer)
    router.get("c/:name", use: answer)
    router.post("c/:name", use: answer)
    routes.learn(
      from: router,
      forms: [
        RouteMethods.Form("c/:name", [.post]) { $0 != "job" },
        RouteMethods.Form("c/:name", [.get]) { $0 != "kind" },
      ]
    )
  }

  @Test(arguments: [
    ("/", "GET, HEAD"), ("/a/b", "GET, HEAD, DELETE"), ("/a/c", "GET, HEAD, DELETE"),
    ("/a/c/", "GET, HEAD, DELETE"), ("/a/c/do", "POST"), ("/a", ""), ("/a/c/do/more", ""),
    ("/b/c", ""), ("/c/job", "GET, HEAD"), ("/c/kind", "POST"), ("/c/other", "GET, HEAD, POST"),
  ])
  func `are those that any of its routes takes`(_ path: String, _ methods: String) {
    #expect(routes.methods(of: path).map(\.rawValue).joined(separator: ", ") == methods)
  }

  @Test func `a route does not answer for a word that it does not take`() {
    #expect(routes.isExcluded(.get, "/c/kind"))
    #expect(routes.isExcluded(.head, "/c/kind"))
    #expect(routes.isExcluded(.post, "/c/job"))
    #expect(!routes.isExcluded(.get, "/c/other"))
    // What has no route is not excluded: the router finds nothing.
    #expect(!routes.isExcluded(.put, "/c/kind"))
    #expect(!routes.isExcluded(.get, "/d"))
  }
}
