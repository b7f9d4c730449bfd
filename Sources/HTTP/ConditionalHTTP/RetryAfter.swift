public import HTTPTypes

/// The wait that a server asks for (RFC 9110 section 10.2.3).
public enum RetryAfter: Hashable, Sendable, CustomStringConvertible {
  /// A number of seconds after the response arrived, at least 0.
  case seconds(Int64)
  /// A date by the server's clock.
  case date(HTTPDate)

  /// Reads the value of a Retry-After field; returns `nil` if it is neither of the two.
  ///
  /// - Parameters:
  ///   - field: Digits, or a date in any form.
  ///   - now: Seconds since 1970, for dates whose year has two digits.
  public init?(parsing field: some StringProtocol, now: Int64) {
    let text = FieldSyntax.trimmed(field)
    if let seconds = DeltaSeconds.parse(text) {
      self = .seconds(seconds)
    } else if let date = HTTPDate(parsing: text, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// The delay for a date that cannot be measured, in milliseconds (R39: a minute).
  public static let unmeasuredDelay: Int64 = 60_000

  /// Returns the delay that a response asks for, from its arrival.
  ///
  /// A date is compared with the response's own Date field. Without one it cannot be measured, and
  /// ``unmeasuredDelay`` applies. The device's clock may be wrong and is not compared (R39).
  ///
  /// - Parameters:
  ///   - fields: The fields of the response.
  ///   - now: The device's clock when the response arrived, in milliseconds since 1970; used only
  ///     for the century of a date whose year has two digits.
  ///   - limit: The longest delay to honor, in milliseconds.
  /// - Returns: Milliseconds, 0 to `limit`, or `nil` if the field is missing or not readable.
  public static func delay(in fields: HTTPFields, now: Int64, limit: Int64) -> Int64? {
    let seconds = now / 1000
    guard let field = fields[values: .retryAfter].first,
      let retryAfter = RetryAfter(parsing: field, now: seconds)
    else { return nil }
    let date = fields[values: .date].first.flatMap { HTTPDate(parsing: $0, now: seconds) }
    if case .date = retryAfter, date == nil { return max(0, min(unmeasuredDelay, limit)) }
    return retryAfter.delay(now: date?.millisecondsSince1970 ?? 0, limit: limit)
  }

  /// Returns the delay from now.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970.
  ///   - limit: The longest delay to honor, in milliseconds.
  /// - Returns: Milliseconds, 0 to `limit`.
  public func delay(now: Int64, limit: Int64) -> Int64 {
    switch self {
    case .seconds(let seconds):
      return max(0, min(DeltaSeconds.clamped(seconds) * 1000, limit))
    case .date(let date):
      let (delay, overflow) = date.millisecondsSince1970.subtractingReportingOverflow(now)
      return max(0, min(overflow ? (now < 0 ? .max : 0) : delay, limit))
    }
  }

  /// The value of the field.
  public var description: String {
    switch self {
    case .seconds(let seconds): String(DeltaSeconds.clamped(seconds))
    case .date(let date): date.description
    }
  }
}
