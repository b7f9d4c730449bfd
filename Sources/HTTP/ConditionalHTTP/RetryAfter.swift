public import HTTPTypes

/// How long a server wants to be left alone (RFC 9110 section 10.2.3).
public enum RetryAfter: Hashable, Sendable, CustomStringConvertible {
  /// A number of seconds after the answer arrived, at least 0.
  case seconds(Int64)
  /// A date by the server's clock.
  case date(HTTPDate)

  /// Reads the value of a Retry-After field; gives nothing if it is neither of the two.
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

  /// The delay an answer asks for.
  ///
  /// A date is held against the answer's own Date field, so that a wrong clock on the device
  /// changes nothing; without one it is held against `now`.
  ///
  /// - Parameters:
  ///   - fields: The fields of the answer.
  ///   - now: The device's clock when the answer arrived, milliseconds since 1970.
  ///   - limit: The longest delay to obey, milliseconds.
  /// - Returns: Milliseconds, 0 to `limit`; nothing if there is no such field or it is unreadable.
  public static func delay(in fields: HTTPFields, now: Int64, limit: Int64) -> Int64? {
    let seconds = now / 1000
    guard let field = fields[values: .retryAfter].first,
      let wish = RetryAfter(parsing: field, now: seconds)
    else { return nil }
    let date = fields[values: .date].first.flatMap { HTTPDate(parsing: $0, now: seconds) }
    return wish.delay(now: date?.millisecondsSince1970 ?? now, limit: limit)
  }

  /// The delay from now on.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970.
  ///   - limit: The longest delay to obey, milliseconds.
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
