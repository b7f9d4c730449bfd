package import HTTPTypes
package import StrictJSON

/// An answer as a client gets it.
package struct ClientAnswer: Sendable {
  /// The status and the header fields.
  package var head: HTTPResponse
  /// The content, decompressed.
  package var body: [UInt8]

  package init(head: HTTPResponse, body: [UInt8]) {
    self.head = head
    self.body = body
  }

  /// The status code.
  package var status: Int { head.status.code }

  /// The value of a header field; `nil` if it is absent.
  ///
  /// - Parameter name: The name, in any case.
  package subscript(field name: String) -> String? {
    HTTPField.Name(name).flatMap { head.headerFields[$0] }
  }

  /// The content as JSON.
  ///
  /// - Returns: The value; numbers are kept as they are written.
  /// - Throws: ``NotJSON`` that says where the content is wrong.
  package func json() throws(NotJSON) -> JSONValue {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    rules.deepest = 64
    rules.longest = 64 << 20
    // `JSONDecoder` and `JSON.parse` let a repeated member pass.
    rules.repetition = .first
    do throws(JSONReader.Fault) {
      return try JSONReader.value(of: body, rules: rules)
    } catch {
      throw NotJSON(
        description:
          "the body is not JSON: line \(error.line), column \(error.column): \(error.problem)"
      )
    }
  }

  /// The content is not JSON.
  package struct NotJSON: Error, Hashable, CustomStringConvertible {
    /// Where it is wrong, and what.
    package var description: String
  }
}
