import ConditionalHTTP
package import HTTPTypes

/// A request as a client sends it.
package struct ClientRequest: Sendable, CustomStringConvertible {
  /// The method.
  package var method: HTTPRequest.Method
  /// The path below the server's address, percent-encoded.
  package var path: String
  /// The parameters, in the client's order; those without a value are left out.
  package var query: [(String, String?)]
  /// The header fields, in the client's order.
  package var fields: HTTPFields
  /// The content, if any.
  package var content: [UInt8]?
  /// The client's own limit on the wait for the whole answer.
  package var timeout: Duration

  package init(
    _ method: HTTPRequest.Method = .get,
    _ path: String,
    query: [(String, String?)] = [],
    fields: HTTPFields = [:],
    content: [UInt8]? = nil,
    timeout: Duration = .seconds(30)
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.content = content
    self.timeout = timeout
  }

  /// Method, path and query, as they are sent.
  package var description: String {
    var text = "\(method.rawValue) \(path)"
    var separator = "?"
    for (name, value) in query {
      guard let value else { continue }
      text += "\(separator)\(HTTPAddress.encoded(name))=\(HTTPAddress.encoded(value))"
      separator = "&"
    }
    return text
  }
}
