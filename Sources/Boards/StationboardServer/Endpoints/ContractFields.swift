import ConditionalHTTP
import HTTPTypes

extension HTTPField.Name {
  /// The header fields of the contract (research on the seed's API, §2.3).
  static let mdRequestId = fieldName("x-md-request-id")
  static let mdRealtimeApplied = fieldName("x-md-rt-applied")
  static let mdRealtimeReason = fieldName("x-md-rt-reason")
  static let mdRealtimeAge = fieldName("x-md-rt-age-ms")
  static let mdRealtimeStatus = fieldName("x-md-rt-status")
  static let mdRealtimeFetchedAt = fieldName("x-md-rt-fetched-at")
  static let mdLastPollAt = fieldName("x-md-rt-last-poll-at")
  static let mdPollAge = fieldName("x-md-rt-poll-age-ms")
  static let mdRealtimeNext = fieldName("x-md-rt-next-ms")
  static let mdRealtimeSpread = fieldName("x-md-rt-spread-ms")
  static let mdRealtimeBehind = fieldName("x-md-rt-behind")
  static let mdReceipt = fieldName(AnswerReceipt.field)
  static let mdReceiptAfter = fieldName(AnswerReceipt.afterField)
  static let secFetchMode = fieldName("sec-fetch-mode")
  static let mdStale = fieldName("x-md-stale")
  static let mdStaleReason = fieldName("x-md-stale-reason")
  static let mdBackendTotal = fieldName("x-md-backend-total-ms")

  private static func fieldName(_ name: String) -> Self {
    guard let field = Self(name) else { preconditionFailure("\(name) is not a field name") }
    return field
  }
}
