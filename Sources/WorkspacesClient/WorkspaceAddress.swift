import Foundation
public import HTTPTypes

/// The address of a server of workspaces.
public struct WorkspaceAddress: Hashable, Sendable, CustomStringConvertible {
  /// Why a text is no address.
  public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public var text: String

    /// What is wrong.
    public var description: String { "\"\(text)\" is not an address like http://127.0.0.1:8080" }
  }

  private let scheme: String
  private let authority: String
  private let basePath: String

  /// Reads an address.
  ///
  /// - Parameter text: The address, such as `http://127.0.0.1:8080`.
  /// - Throws: ``Invalid`` if it is not an http or https one.
  public init(_ text: String) throws(Invalid) {
    guard
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty
    else { throw Invalid(text: text) }
    self.scheme = scheme
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    authority = parts.port.map { "\(name):\($0)" } ?? name
    basePath = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
  }

  /// The address.
  public var description: String { "\(scheme)://\(authority)\(basePath)" }

  /// A request for a document of the server.
  ///
  /// - Parameters:
  ///   - path: The path below the server's own, such as `/v1/git/worktrees`, with its query.
  ///   - type: The media type that is wanted.
  ///   - method: The method.
  /// - Returns: The request.
  public func request(
    _ path: String,
    type: String = "application/json",
    method: HTTPRequest.Method = .get
  ) -> HTTPRequest {
    HTTPRequest(
      method: method,
      scheme: scheme,
      authority: authority,
      path: basePath + path,
      headerFields: [.accept: type]
    )
  }

  /// A text as one segment of a path (RFC 3986 section 3.3).
  static func segment(_ text: String) -> String {
    let plain = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
