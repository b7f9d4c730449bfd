package import HTTPTypes
package import Hummingbird
import Synchronization

/// The methods that each path of a router accepts, for `Allow` and 405 (RFC 9110, section 15.5.6).
package final class RouteMethods: Sendable {
  /// The order in which `Allow` lists them; others follow by name.
  private static let order: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]

  /// Which values some methods of a path accept as its first parameter, where the router itself accepts any.
  package struct Form: Sendable {
    fileprivate let path: RouterPath
    fileprivate let methods: Set<HTTPRequest.Method>
    fileprivate let takes: @Sendable (Substring) -> Bool

    /// Creates a form.
    ///
    /// - Parameters:
    ///   - path: The path of the routes, such as `v1/jobs/:job`.
    ///   - methods: Their methods.
    ///   - takes: Whether they accept a value.
    package init(
      _ path: RouterPath,
      _ methods: Set<HTTPRequest.Method>,
      takes: @escaping @Sendable (Substring) -> Bool
    ) {
      self.path = path
      self.methods = methods
      self.takes = takes
    }
  }

  private struct Known: Sendable {
    var routes: [(path: RouterPath, method: HTTPRequest.Method)] = []
    var forms: [Form] = []
  }

  private let known = Mutex(Known())

  /// Knows no path yet.
  package init() {}

  /// Learns the routes of a router that has all of them.
  ///
  /// - Parameters:
  ///   - router: The router.
  ///   - forms: The values that some of its routes accept.
  package func learn(from router: Router<some RequestContext>, forms: [Form] = []) {
    let routes = router.routes.map { (path: $0.path, method: $0.method) }
    known.withLock { $0 = Known(routes: routes, forms: forms) }
  }

  /// Returns the methods of a path; empty if no route has the path.
  ///
  /// - Parameter path: The path of a request.
  /// - Returns: The methods, in the order in which `Allow` lists them; `HEAD` beside every `GET`.
  package func methods(of path: String) -> [HTTPRequest.Method] {
    var found = Set(matches(path).filter(\.isTaken).map(\.method))
    if found.contains(.get) { found.insert(.head) }
    let rank = { (method: HTTPRequest.Method) in
      Self.order.firstIndex(of: method) ?? Self.order.count
    }
    return found.sorted { (rank($0), $0.rawValue) < (rank($1), $1.rawValue) }
  }

  /// Whether the router has a route for a request, which does not accept its parameter.
  package func isExcluded(_ method: HTTPRequest.Method, _ path: String) -> Bool {
    // Most paths have no forms, and every request asks.
    let forms = known.withLock { $0.forms }
    guard !forms.isEmpty else { return false }
    let parts = path.split(separator: "/")
    guard forms.contains(where: { Self.fits($0.path, parts) }) else { return false }
    let routes = matches(path).filter {
      $0.method == method || (method == .head && $0.method == .get)
    }
    return !routes.isEmpty && !routes.contains(where: \.isTaken)
  }

  /// The routes that fit a path, and whether they accept its parameter.
  private func matches(_ path: String) -> [(method: HTTPRequest.Method, isTaken: Bool)] {
    let parts = path.split(separator: "/")
    let known = known.withLock { $0 }
    return known.routes.compactMap { route in
      guard Self.fits(route.path, parts) else { return nil }
      let forms = known.forms.filter {
        $0.path == route.path && $0.methods.contains(route.method)
      }
      guard !forms.isEmpty,
        let word = zip(route.path, parts).first(where: { $0.0 != .path($0.1) })?.1
      else { return (route.method, true) }
      return (route.method, forms.allSatisfy { $0.takes(word) })
    }
  }

  private static func fits(_ path: RouterPath, _ parts: [Substring]) -> Bool {
    path.count == parts.count && zip(path, parts).allSatisfy { $0 ~= $1 }
  }
}
