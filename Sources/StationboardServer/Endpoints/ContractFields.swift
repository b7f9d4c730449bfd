import HTTPTypes

extension HTTPField.Name {
  /// The header fields of the contract (research on the seed's API, §2.3).
  static let pragma = fieldName("pragma")
  static let mdRequestId = fieldName("x-md-request-id")
  static let mdRealtimeApplied = fieldName("x-md-rt-applied")
  static let mdRealtimeReason = fieldName("x-md-rt-reason")
  static let mdRealtimeAge = fieldName("x-md-rt-age-ms")
  static let mdRealtimeStatus = fieldName("x-md-rt-status")
  static let mdBackendTotal = fieldName("x-md-backend-total-ms")

  private static func fieldName(_ name: String) -> Self {
    guard let field = Self(name) else { preconditionFailure("\(name) is not a field name") }
    return field
  }
}
