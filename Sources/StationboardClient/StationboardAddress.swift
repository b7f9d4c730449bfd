import ConditionalHTTP
import Foundation
public import HTTPTypes

/// The address of a stationboard server.
public struct StationboardAddress: Hashable, Sendable {
  /// `http` or `https`.
  let scheme: String
  /// Host and port.
  let authority: String
  private let basePath: String

  /// Reads an address.
  ///
  /// - Parameter text: The address, such as `http://127.0.0.1:8080`.
  /// - Throws: ``StationboardFailure`` if it is not an http or https one.
  public init(_ text: String) throws(StationboardFailure) {
    guard
      let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = parts.host, !host.isEmpty
    else {
      throw StationboardFailure(
        .invalidAddress,
        "\"\(text)\" is not an address like http://127.0.0.1:8080"
      )
    }
    self.scheme = scheme
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    authority = parts.port.map { "\(name):\($0)" } ?? name
    basePath = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
  }

  /// A request for a document of the server.
  ///
  /// - Parameters:
  ///   - path: The path below the server's own, such as `/api/stationboard`.
  ///   - query: The parameters; those without a value are left out.
  ///   - type: The media type that is wanted.
  /// - Returns: The request.
  public func request(
    _ path: String,
    _ query: [(String, String?)],
    type: String = "application/json"
  ) -> HTTPRequest {
    var components = URLComponents()
    components.path = basePath + path
    components.queryItems = query.compactMap { name, value in
      value.map { URLQueryItem(name: name, value: $0) }
    }
    // URLComponents leaves "+" as it is, which servers read as a blank.
    let target = components.string?.replacing("+", with: "%2B") ?? path
    return HTTPRequest(
      method: .get,
      scheme: scheme,
      authority: authority,
      path: target,
      headerFields: [
        .accept: type,
        // The transport's own idea of a language is not what was asked for.
        .acceptLanguage: "*",
      ]
    )
  }
}
