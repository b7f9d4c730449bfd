/// A point in time in a field, to the second (RFC 9110 section 5.6.7).
public struct HTTPDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00:00Z, within the years 1 to 9999.
  public let secondsSince1970: Int64

  /// Creates a date; a number outside the years 1 to 9999 is clamped.
  ///
  /// - Parameter secondsSince1970: Seconds since 1970-01-01T00:00:00Z.
  public init(secondsSince1970: Int64) {
    self.secondsSince1970 = min(max(secondsSince1970, Self.earliest), Self.latest)
  }

  /// Reads a date in any of the three forms: IMF-fixdate, RFC 850 and asctime.
  ///
  /// Names are case-insensitive (RFC 9111 section 4.2); the zone is GMT. The day of the week must
  /// be valid, but need not be the right one. A second of 60 is the first of the next minute.
  /// Returns `nil` for a string in no such form, and for a day or a time that does not exist.
  ///
  /// - Parameters:
  ///   - text: The date; surrounding whitespace is ignored.
  ///   - now: Seconds since 1970, to determine the century of a two-digit year: the latest one that
  ///     is no more than 50 years in the future.
  public init?(parsing text: some StringProtocol, now: Int64) {
    var scanner = HTTPDateScanner(FieldSyntax.trimmed(text))
    guard let read = scanner.read() else { return nil }
    var seconds: Int64?
    if read.hasCentury {
      seconds = Self.seconds(of: read.civil)
    } else {
      var present = CivilTime(HTTPDate(secondsSince1970: now).secondsSince1970)
      var civil = read.civil
      civil.year += present.year / 100 * 100 + 100
      present.year += 50
      while civil.isAfter(present) { civil.year -= 100 }
      seconds = Self.seconds(of: civil)
    }
    guard let seconds else { return nil }
    self.init(secondsSince1970: seconds)
  }

  /// The date as IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
  public var description: String {
    let civil = CivilTime(secondsSince1970)
    let date = "\(Self.digits(civil.day)) \(CivilTime.months[civil.month - 1])"
    let time = [civil.hour, civil.minute, civil.second].map { Self.digits($0) }
    let year = Self.digits(civil.year, count: 4)
    return "\(CivilTime.weekdays[civil.weekday]), \(date) \(year) "
      + time.joined(separator: ":") + " GMT"
  }

  /// Returns whether a date is before another one.
  public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var millisecondsSince1970: Int64 { secondsSince1970 * 1000 }

  private static let earliest: Int64 = -62_135_596_800
  private static let latest: Int64 = 253_402_300_799

  private static func seconds(of civil: CivilTime) -> Int64? {
    civil.isValid ? civil.secondsSince1970 : nil
  }

  private static func digits(_ number: Int, count: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
