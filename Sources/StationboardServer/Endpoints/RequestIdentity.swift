import HTTPTypes
import Hummingbird

/// The id by which one request can be found in answer, headers and log.
enum RequestIdentity {
  /// The id the client sent, if it is printable and short, else a new one.
  static func of(_ request: Request) -> String {
    for name in [HTTPField.Name.mdRequestId, .requestId] {
      guard let value = request.headers[name] else { continue }
      let isPrintable = value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      if (1...BoardLimits.longestRequestId).contains(value.utf8.count), isPrintable { return value }
    }
    var random = UInt64.random(in: .min ... .max)
    var text = "sb-"
    for _ in 0..<12 {
      let digit = UInt8(truncatingIfNeeded: random & 15)
      text.unicodeScalars.append(Unicode.Scalar(digit < 10 ? 0x30 + digit : 0x57 + digit))
      random >>= 4
    }
    return text
  }
}

extension HTTPField.Name {
  /// The header fields of the contract (research on the seed's API, §2.3).
  static let pragma = fieldName("pragma")
  static let mdRequestId = fieldName("x-md-request-id")
  static let requestId = fieldName("x-request-id")
  static let mdRealtimeApplied = fieldName("x-md-rt-applied")
  static let mdRealtimeReason = fieldName("x-md-rt-reason")
  static let mdRealtimeAge = fieldName("x-md-rt-age-ms")
  static let mdRealtimeStatus = fieldName("x-md-rt-status")
  static let mdBackendTotal = fieldName("x-md-backend-total-ms")
  static let mdApiVersion = fieldName("x-md-api-version")

  private static func fieldName(_ name: String) -> Self {
    guard let field = Self(name) else { preconditionFailure("\(name) is not a field name") }
    return field
  }
}
