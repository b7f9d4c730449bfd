import ConditionalHTTP
import Hashing
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct HTTPDateTests {
  /// 2026-11-24T12:00:00Z.
  static let now: Int64 = 1_795_521_600

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun Nov 06 08:49:37 1994", "sun, 06 NOV 1994 08:49:37 gmt", "SUNDAY, 06-nov-94 08:49:37 GMT",
    "  Sun, 06 Nov 1994 08:49:37 GMT\t", "Tue, 06 Nov 1994 08:49:37 GMT",
  ])
  func `the three forms of one date are read`(text: String) {
    #expect(HTTPDate(parsing: text, now: Self.now)?.secondsSince1970 == 784_111_777)
  }

  @Test(arguments: [
    "", "0", "-1", "now", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994",
    "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 06 Nov 1994 08:49:37 GMTX", "Sun, 06 Nov 1994 08:49:37 GMT x",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
    "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
    "Sunday, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94",
    "Sunday Nov  6 08:49:37 1994", "Sux, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Sun, 29 Feb 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 0000 08:49:37 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sün, 06 Nov 1994 08:49:37 GMT",
    "Sun, ٠٦ Nov 1994 08:49:37 GMT",
  ])
  func `what is not a date is not a date`(text: String) {
    #expect(HTTPDate(parsing: text, now: Self.now) == nil)
  }

  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
      (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
    ] as [(Int64, String)]
  )
  func `a date is written and read again`(seconds: Int64, text: String) {
    let date = HTTPDate(secondsSince1970: seconds)
    #expect(date.description == text)
    #expect(HTTPDate(parsing: text, now: Self.now) == date)
  }

  @Test func `a leap second is the first of the next minute`() {
    let date = HTTPDate(parsing: "Sat, 31 Dec 2016 23:59:60 GMT", now: Self.now)
    #expect(date?.description == "Sun, 01 Jan 2017 00:00:00 GMT")
  }

  // From 2026-11-24T12:00:00Z, fifty years end at 2076-11-24T12:00:00Z.
  @Test(arguments: [
    ("Sunday, 06-Nov-94 08:49:37 GMT", 1994),
    ("Sunday, 06-Nov-26 08:49:37 GMT", 2026),
    ("Sunday, 06-Nov-27 08:49:37 GMT", 2027),
    ("Sunday, 06-Nov-00 08:49:37 GMT", 2000),
    ("Tuesday, 24-Nov-76 12:00:00 GMT", 2076),
    ("Tuesday, 24-Nov-76 12:00:01 GMT", 1976),
    ("Sunday, 06-Nov-77 08:49:37 GMT", 1977),
  ])
  func `two digits of a year are at most fifty years ahead`(text: String, year: Int) {
    let date = HTTPDate(parsing: text, now: Self.now)
    #expect(date?.description.contains(" \(year) ") == true)
  }

  @Test func `at the end of a century two digits may mean the next one`() throws {
    let end = try #require(HTTPDate(parsing: "Thu, 31 Dec 2099 23:59:59 GMT", now: 0))
    let date = HTTPDate(parsing: "Friday, 01-Jan-05 00:00:00 GMT", now: end.secondsSince1970)
    #expect(date?.description == "Thu, 01 Jan 2105 00:00:00 GMT")
  }

  @Test func `dates have an order`() {
    #expect(HTTPDate(secondsSince1970: 1) < HTTPDate(secondsSince1970: 2))
    #expect(HTTPDate(secondsSince1970: 2).millisecondsSince1970 == 2_000)
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `the C library writes the same dates`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator)
      let date = HTTPDate(secondsSince1970: seconds)
      #expect(date.description == Self.written(seconds, "%a, %d %b %Y %H:%M:%S GMT"))
      #expect(HTTPDate(parsing: date.description, now: 0) == date)
      #expect(HTTPDate(parsing: Self.written(seconds, "%a %b %e %H:%M:%S %Y"), now: 0) == date)
      let short = Self.written(seconds, "%A, %d-%b-%y %H:%M:%S GMT")
      #expect(HTTPDate(parsing: short, now: seconds) == date)
    }
  }

  /// What strftime writes; years get four digits.
  private static func written(_ seconds: Int64, _ format: String) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    var year = String(parts.tm_year + 1900)
    while year.utf8.count < 4 { year = "0" + year }
    let pieces = format.split(separator: "%Y", omittingEmptySubsequences: false).map { piece in
      var buffer = [CChar](repeating: 0, count: 100)
      let count = strftime(&buffer, buffer.count, String(piece), &parts)
      return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return pieces.joined(separator: year)
  }
}
