import ConditionalHTTP
import Foundation
package import HTTPTypes

/// A typed URL as a request.
package enum WatchAddress {
  /// Reads a URL; without a scheme it is http.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - fields: The header fields to send.
  ///   - option: The option for credentials.
  /// - Returns: A GET request.
  /// - Throws: ``WatchAddressError`` with the problem.
  package static func request(
    _ text: String,
    fields: HTTPFields,
    option: String = "--header"
  ) throws(WatchAddressError) -> HTTPRequest {
    let shown = HTTPAddress.hidingCredentials(in: text)
    let start = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    let hasScheme = text[start.endIndex...].hasPrefix("://")
    let full = hasScheme ? text : "http://\(text)"
    guard let parts = URLComponents(string: full), let host = parts.percentEncodedHost,
      !host.isEmpty
    else { throw WatchAddressError("\"\(shown)\" is not an address") }
    guard let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
      throw WatchAddressError("\"\(shown)\": only http and https are watched")
    }
    guard parts.user == nil, parts.password == nil else {
      throw WatchAddressError(
        "credentials do not belong in the address: \(option) 'Authorization: Basic …'"
      )
    }
    guard parts.port.map({ (1...65_535).contains($0) }) ?? true else {
      throw WatchAddressError("\"\(shown)\": a port is 1 to 65535")
    }
    var path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    if let query = parts.percentEncodedQuery { path += "?\(query)" }
    return HTTPRequest(
      method: .get,
      scheme: scheme,
      authority: parts.port.map { "\(host):\($0)" } ?? host,
      path: path,
      headerFields: fields
    )
  }

  /// Reads `Name: value` lines, given with an option of this name.
  package static func fields(
    _ lines: [String],
    option: String = "--header"
  ) throws(WatchAddressError) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines {
      guard let colon = line.firstIndex(of: ":"),
        let name = HTTPField.Name(line[..<colon].trimmingCharacters(in: .whitespaces))
      else {
        // A malformed field may contain a secret.
        throw WatchAddressError("\(option) \"\(line.prefix(12))…\" is not like 'Name: value'")
      }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      guard HTTPField.isValidValue(value) else {
        throw WatchAddressError("\(option) \"\(name)\": the value has characters no field may have")
      }
      guard !reserved.contains(name) else {
        throw WatchAddressError("\(option) \"\(name)\": the engine sets this field itself")
      }
      fields.append(HTTPField(name: name, value: value))
    }
    return fields
  }

  private static let reserved: Set<HTTPField.Name> = [
    .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange, .range, .prefer,
    .contentLength, .transferEncoding,
  ]
}

/// An error in a URL or a field.
package struct WatchAddressError: Error, CustomStringConvertible {
  /// A readable description of the problem.
  package let description: String

  package init(_ description: String) { self.description = description }
}
