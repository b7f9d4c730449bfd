package import HTTPTypes
package import Hummingbird
import Synchronization

/// The methods that each path of a router takes, for `Allow` and 405 (RFC 9110, section 15.5.6).
package final class RouteMethods: Sendable {
  /// The order in which `Allow` lists them; others follow by name.
  private static let order: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]

  private let routes = Mutex<[(path: RouterPath, method: HTTPRequest.Method)]>([])

  /// Knows no path yet.
  package init() {}

  /// Learns the routes of a router that has all of them.
  package func learn(from router: Router<some RequestContext>) {
    let known = router.routes.map { (path: $0.path, method: $0.method) }
    routes.withLock { $0 = known }
  }

  /// The methods that a path takes; none if there is no such path.
  ///
  /// - Parameter path: The path of a request.
  /// - Returns: The methods, in the order in which `Allow` lists them; `HEAD` beside every `GET`.
  package func methods(of path: String) -> [HTTPRequest.Method] {
    let parts = path.split(separator: "/")
    var found: Set<HTTPRequest.Method> = []
    for route in routes.withLock({ $0 }) where route.path.count == parts.count {
      guard zip(route.path, parts).allSatisfy({ $0 ~= $1 }) else { continue }
      found.insert(route.method)
    }
    if found.contains(.get) { found.insert(.head) }
    let rank = { (method: HTTPRequest.Method) in
      Self.order.firstIndex(of: method) ?? Self.order.count
    }
    return found.sorted { (rank($0), $0.rawValue) < (rank($1), $1.rawValue) }
  }
}
