public import HTTPTypes

/// The age of an answer (RFC 9111 section 4.2.3), in milliseconds.
///
/// The RFC has one clock; here there are two, so that a wrong or a moved device clock spoils
/// nothing but the apparent age. Request and response time, and later `now`, are readings of a
/// clock that only goes forward; the device's wall clock is read once, when the answer arrives,
/// and can be left out. No result is negative.
///
/// After a 304 it is the 304's own fields that say how old the snapshot is.
public struct ResponseAge: Hashable, Sendable {
  /// What the Age field says, milliseconds; 0 without one (age_value).
  public var ageValue: Int64
  /// What the Date field says (date_value).
  public var date: HTTPDate?
  /// When the request was sent, by the forward clock.
  public var requestTime: Int64
  /// When the answer arrived, by the forward clock.
  public var responseTime: Int64
  /// When the answer arrived, by the device's clock, milliseconds since 1970.
  public var wallTime: Int64?

  /// Creates an age from what was read.
  ///
  /// - Parameters:
  ///   - ageValue: What the Age field says, milliseconds.
  ///   - date: What the Date field says.
  ///   - requestTime: When the request was sent, milliseconds by the forward clock.
  ///   - responseTime: When the answer arrived, milliseconds by the forward clock.
  ///   - wallTime: When the answer arrived, milliseconds since 1970 by the device's clock; without
  ///     it there is no apparent age.
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

  /// Reads the Age and Date fields of an answer.
  ///
  /// Of several values of a field the first counts; an unreadable one counts as none
  /// (RFC 9111 section 5.1).
  ///
  /// - Parameters:
  ///   - fields: The fields of the answer.
  ///   - requestTime: When the request was sent, milliseconds by the forward clock.
  ///   - responseTime: When the answer arrived, milliseconds by the forward clock.
  ///   - wallTime: When the answer arrived, milliseconds since 1970 by the device's clock.
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
  }

  /// How long ago the answer was made, by two wall clocks (apparent_age).
  ///
  /// 0 without a date or a wall time. Dates are whole seconds: up to 999 ms of it are rounding.
  public var apparentAge: Int64 {
    guard let date, let wallTime else { return 0 }
    return Self.difference(wallTime, date.millisecondsSince1970)
  }

  /// How long the answer took (response_delay).
  public var responseDelay: Int64 { Self.difference(responseTime, requestTime) }

  /// The age by the Age field, with the whole way of the answer added (corrected_age_value).
  public var correctedAgeValue: Int64 { Self.sum(ageValue, responseDelay) }

  /// The age at arrival: the larger of the two figures (corrected_initial_age).
  public var correctedInitialAge: Int64 { max(apparentAge, correctedAgeValue) }

  /// How long the answer has been here (resident_time).
  ///
  /// - Parameter now: Milliseconds by the forward clock.
  /// - Returns: Milliseconds.
  public func residentTime(now: Int64) -> Int64 { Self.difference(now, responseTime) }

  /// The age now (current_age).
  ///
  /// - Parameter now: Milliseconds by the forward clock.
  /// - Returns: Milliseconds.
  public func currentAge(now: Int64) -> Int64 {
    Self.sum(correctedInitialAge, residentTime(now: now))
  }

  /// How far the server's clock is ahead of the device's, milliseconds; negative if it is behind.
  ///
  /// It is exact to a second and half the delay. Nothing without a date or a wall time.
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
