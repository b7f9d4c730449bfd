import ConditionalHTTP
package import HTTPTypes
package import Hummingbird

/// The id by which one request can be found in answer, headers and log.
package enum RequestIdentity {
  /// The most characters of an id that is echoed.
  package static let longest = 128

  /// The field that carries it.
  package static let field = HTTPField.Name("x-md-request-id")

  /// The field that other servers and proxies use.
  package static let commonField = HTTPField.Name("x-request-id")

  /// The fields in which a client may send one.
  private static let fields = [field, commonField].compactMap(\.self)

  /// The id of the request that the task handles.
  package static func of(_ request: Request) -> String {
    TraceScope.current?.requestID ?? of(request.head)
  }

  /// The id the client sent, if it is printable and short, else a new one.
  package static func of(_ request: HTTPRequest) -> String {
    for name in fields {
      guard let value = request.headerFields[name] else { continue }
      let isPrintable = value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      if (1...longest).contains(value.utf8.count), isPrintable { return value }
    }
    var random = UInt64.random(in: .min ... .max)
    return String(unsafeUninitializedCapacity: 15) { text in
      (text[0], text[1], text[2]) = (0x73, 0x62, 0x2D)
      for place in 3..<15 {
        let digit = UInt8(truncatingIfNeeded: random & 15)
        text[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
        random >>= 4
      }
      return 15
    }
  }
}
