import Foundation
import HTTPTypes

/// The address of a job server.
public struct JobServerAddress: Hashable, Sendable, CustomStringConvertible {
  let scheme: String
  let authority: String
  private let basePath: String

  /// Reads an address.
  ///
  /// - Parameter text: The address, such as `http://127.0.0.1:8080`; nothing of what is none.
  public init?(_ text: String) {
    guard
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty
    else { return nil }
    self.scheme = scheme
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    authority = parts.port.map { "\(name):\($0)" } ?? name
    basePath = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
  }

  /// The address as text.
  public var description: String { "\(scheme)://\(authority)\(basePath)" }

  func request(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ query: [(String, String?)] = [],
    token: String? = nil,
    isSocket: Bool = false
  ) -> HTTPRequest {
    var components = URLComponents()
    components.path = basePath + path
    let items = query.compactMap { name, value in
      value.map { URLQueryItem(name: name, value: $0) }
    }
    if !items.isEmpty { components.queryItems = items }
    var fields: HTTPFields = [:]
    if let token {
      if isSocket {
        fields[.secWebSocketProtocol] = "freshet-auth.\(token)"
      } else {
        fields[.authorization] = "Bearer \(token)"
      }
    }
    return HTTPRequest(
      method: method,
      scheme: isSocket ? (scheme == "https" ? "wss" : "ws") : scheme,
      authority: authority,
      path: components.string?.replacing("+", with: "%2B") ?? path,
      headerFields: fields
    )
  }
}
