import HTTPTypes

/// `Transfer-Encoding` of requests (RFC 9112, sections 6.1 and 6.3): chunks, and nothing else.
enum TransferCoding {
  /// What takes the place of a field that must not be there; not a valid value.
  static let faulty = "?"

  /// Why a request is refused; `nil` if its content can be read.
  ///
  /// The connection ends with the response: the end of the content is unknown or ambiguous.
  static func refusal(of request: HTTPRequest) -> Problem? {
    guard let field = request.headerFields[.transferEncoding] else { return nil }
    let codings = field.lowercased().split(separator: ",", omittingEmptySubsequences: false)
      .map { coding in Self.trimmed(coding.prefix { $0 != ";" }) }
    let chunks = codings.filter { $0 == "chunked" }.count
    guard chunks == 1, codings.last == "chunked", codings.allSatisfy(isToken) else {
      return Problem(
        .badRequest,
        "bad_request",
        detail:
          "Transfer-Encoding does not say where the content ends; expected: chunked, of HTTP/1.1"
      )
      .last
    }
    guard codings.count > 1 else { return nil }
    return Problem(
      .notImplemented,
      "not_implemented",
      detail: "the transfer coding \"\(codings[0].prefix(40))\" is not supported; use chunked alone"
    )
    .last
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }

  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
