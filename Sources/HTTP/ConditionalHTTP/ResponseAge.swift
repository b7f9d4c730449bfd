public import HTTPTypes

/// The age of a response (RFC 9111 section 4.2.3), in milliseconds.
///
/// The RFC uses one clock. Here there are two, so that a wrong or adjusted device clock affects
/// only the apparent age. The request time, the response time and later `now` are readings of a
/// monotonic clock. The device's wall clock is read once, on arrival, and is optional. No result is
/// negative.
///
/// After a 304, its own fields give the age of the snapshot.
public struct ResponseAge: Hashable, Sendable {
  /// The value of the Age field in milliseconds; 0 without one (age_value).
  public var ageValue: Int64
  /// Whether there is an Age field: the response then comes from a cache, even if its value is 0 (RFC 9111 section 5.1).
  public var isFromCache = false
  /// The value of the Date field (date_value).
  public var date: HTTPDate?
  /// When the request was sent, by the monotonic clock.
  public var requestTime: Int64
  /// When the response arrived, by the monotonic clock.
  public var responseTime: Int64
  /// When the response arrived, by the device's wall clock, in milliseconds since 1970.
  public var wallTime: Int64?

  /// Creates an age from its inputs.
  ///
  /// - Parameters:
  ///   - ageValue: The value of the Age field, in milliseconds.
  ///   - date: The value of the Date field.
  ///   - requestTime: When the request was sent, in milliseconds by the monotonic clock.
  ///   - responseTime: When the response arrived, in milliseconds by the monotonic clock.
  ///   - wallTime: When the response arrived, in milliseconds since 1970 by the device's wall
  ///     clock; without it there is no apparent age.
  public init(
    ageValue: Int64 = 0,
    date: HTTPDate? = nil,
    requestTime: Int64,
    responseTime: Int64,
    wallTime: Int64? = nil
  ) {
    self.ageValue = max(0, ageValue)
    self.date = date
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.wallTime = wallTime
  }

  /// Reads the Age and Date fields of a response.
  ///
  /// Of several values of a field the first counts; an unreadable one counts as absent (RFC 9111
  /// section 5.1).
  ///
  /// - Parameters:
  ///   - fields: The fields of the response.
  ///   - requestTime: When the request was sent, in milliseconds by the monotonic clock.
  ///   - responseTime: When the response arrived, in milliseconds by the monotonic clock.
  ///   - wallTime: When the response arrived, in milliseconds since 1970 by the device's wall
  ///     clock.
  public init(
    fields: HTTPFields,
    requestTime: Int64,
    responseTime: Int64,
    wallTime: Int64? = nil
  ) {
    let age = fields[values: .age].first?.split(separator: ",", omittingEmptySubsequences: false)
    let seconds = age?.first.flatMap { DeltaSeconds.parse(FieldSyntax.trimmed($0)) }
    self.init(
      ageValue: (seconds ?? 0) * 1000,
      date: fields[values: .date].first.flatMap {
        HTTPDate(parsing: $0, now: (wallTime ?? 0) / 1000)
      },
      requestTime: requestTime,
      responseTime: responseTime,
      wallTime: wallTime
    )
    isFromCache = seconds != nil
  }

  /// The time since the response was made, by two wall clocks (apparent_age).
  ///
  /// 0 without a date or a wall time. Dates are whole seconds, so up to 999 ms of it are rounding.
  public var apparentAge: Int64 {
    guard let date, let wallTime else { return 0 }
    return Self.difference(wallTime, date.millisecondsSince1970)
  }

  /// The time that the response took (response_delay).
  public var responseDelay: Int64 { Self.difference(responseTime, requestTime) }

  /// The age by the Age field plus the response delay (corrected_age_value).
  public var correctedAgeValue: Int64 { Self.sum(ageValue, responseDelay) }

  /// The age at arrival: the larger of the two figures (corrected_initial_age).
  public var correctedInitialAge: Int64 { max(apparentAge, correctedAgeValue) }

  /// Returns the time since the response arrived (resident_time).
  ///
  /// - Parameter now: Milliseconds by the monotonic clock.
  /// - Returns: Milliseconds.
  public func residentTime(now: Int64) -> Int64 { Self.difference(now, responseTime) }

  /// Returns the current age (current_age).
  ///
  /// - Parameter now: Milliseconds by the monotonic clock.
  /// - Returns: Milliseconds.
  public func currentAge(now: Int64) -> Int64 {
    Self.sum(correctedInitialAge, residentTime(now: now))
  }

  /// How far the server's clock is ahead of the device's, in milliseconds; negative if it is
  /// behind.
  ///
  /// Accurate to a second plus half the delay. `nil` without a date or a wall time.
  public var clockLead: Int64? {
    guard let date, let wallTime else { return nil }
    let server = Self.sum(date.millisecondsSince1970, Self.sum(ageValue, responseDelay / 2))
    let (lead, overflow) = server.subtractingReportingOverflow(wallTime)
    return overflow ? nil : lead
  }

  private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
    let (difference, overflow) = later.subtractingReportingOverflow(earlier)
    return overflow ? (later > earlier ? .max : 0) : max(0, difference)
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}
