package import HTTPTypes
package import Hummingbird

extension Response {
  /// Creates a response without content, such as 204 and 304, and without a `Content-Length` (RFC 9110 section 8.6).
  ///
  /// Hummingbird's initializer gives it a length of 0, which the encoder has to remove.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - fields: The header fields.
  package init(withoutContent status: HTTPResponse.Status, _ fields: HTTPFields) {
    self = Self.empty
    self.status = status
    headers = fields
  }

  /// A response without fields.
  private static let empty = {
    var response = Response(status: .noContent)
    response.headers = [:]
    return response
  }()
}
