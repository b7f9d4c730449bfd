/// The end of a board's body without the values that differ from response to response.
struct BoardTemplate: Sendable {
  /// A value that depends on the clock or on the request.
  enum Value: Sendable {
    /// The age of the trip updates in milliseconds, and in seconds.
    case age, ageSeconds
    /// The time since their source was last polled, in milliseconds and in seconds.
    case pollAge, pollAgeSeconds
    /// The age of the alerts in milliseconds, and in seconds.
    case alertsAge, alertsAgeSeconds
    case serverTime
    case requestId
    /// The time that the response took so far, in milliseconds.
    case elapsed
    /// The announcement of the next publication.
    case nextExpectedAt, nextExpectedQuantile, nextExpectedSpread
  }

  /// The JSON without the values.
  let json: [UInt8]
  /// The values, and where they belong in ``json``.
  let values: [(place: Int, value: Value)]
}
