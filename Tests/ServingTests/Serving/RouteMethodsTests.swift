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
    routes.learn(from: router)
  }

  @Test(arguments: [
    ("/", "GET, HEAD"), ("/a/b", "GET, HEAD, DELETE"), ("/a/c", "GET, HEAD, DELETE"),
    ("/a/c/", "GET, HEAD, DELETE"), ("/a/c/do", "POST"), ("/a", ""), ("/a/c/do/more", ""),
    ("/b/c", ""),
  ])
  func `are those that any of its routes takes`(_ path: String, _ methods: String) {
    #expect(routes.methods(of: path).map(\.rawValue).joined(separator: ", ") == methods)
  }
}
