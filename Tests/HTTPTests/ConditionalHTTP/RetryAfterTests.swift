import ConditionalHTTP
import HTTPTypes
import Testing

@Suite struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  static let now: Int64 = 784_111_777_000

  @Test(
    arguments: [
      ("0", 0),
      ("120", 120_000),
      (" 120 ", 120_000),
      ("601", 600_000),
      ("99999999999999999999999", 600_000),
      ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
      ("Sun, 06 Nov 1994 08:50:07 GMT", 30_000),
      ("Sunday, 06-Nov-94 08:50:07 GMT", 30_000),
      ("Sun Nov  6 08:50:07 1994", 30_000),
      ("Sun, 06 Nov 1994 08:49:36 GMT", 0),
      ("Sun, 06 Nov 1904 08:49:36 GMT", 0),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 600_000),
    ] as [(String, Int64)]
  )
  func `a delay is read, bounded and never negative`(field: String, delay: Int64) throws {
    let retryAfter = try #require(RetryAfter(parsing: field, now: Self.now / 1000))
    #expect(retryAfter.delay(now: Self.now, limit: 600_000) == delay)
  }

  @Test(arguments: ["", "-1", "+1", "1.5", "1s", "soon", "120, 60", "0x10"])
  func `what is not a delay is not a delay`(field: String) {
    #expect(RetryAfter(parsing: field, now: 0) == nil)
  }

  @Test func `a delay is written`() {
    #expect(RetryAfter.seconds(30).description == "30")
    #expect(RetryAfter.seconds(-3).description == "0")
    let date = RetryAfter.date(HTTPDate(secondsSince1970: 784_111_777))
    #expect(date.description == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(RetryAfter(parsing: date.description, now: 0) == date)
  }

  @Test func `extreme clocks and limits overflow nothing`() {
    let date = RetryAfter.date(HTTPDate(secondsSince1970: .max))
    #expect(date.delay(now: .min, limit: 7) == 7)
    #expect(date.delay(now: .max, limit: 7) == 0)
    #expect(RetryAfter.date(HTTPDate(secondsSince1970: .min)).delay(now: .max, limit: 7) == 0)
    #expect(RetryAfter.seconds(.max).delay(now: 0, limit: .max) == 2_147_483_648_000)
    #expect(RetryAfter.seconds(5).delay(now: 0, limit: -1) == 0)
  }

  @Test(arguments: [-86_400_000, 0, 86_400_000] as [Int64])
  func `a wrong device clock changes nothing if the answer has a date`(error: Int64) {
    let fields: HTTPFields = [
      .date: "Sun, 06 Nov 1994 08:49:37 GMT",
      .retryAfter: "Sun, 06 Nov 1994 08:50:07 GMT",
    ]
    #expect(
      RetryAfter.delay(in: fields, now: Self.now + error, limit: 600_000) == 30_000
    )
  }

  @Test(arguments: [-86_400_000, 0, 500, 86_400_000] as [Int64])
  func `a date that cannot be measured is a minute, whatever the device's clock says`(
    error: Int64
  ) {
    let fields: HTTPFields = [.retryAfter: "Sun, 06 Nov 1994 08:50:07 GMT"]
    #expect(RetryAfter.delay(in: fields, now: Self.now + error, limit: 600_000) == 60_000)
    #expect(RetryAfter.delay(in: fields, now: Self.now + error, limit: 7_000) == 7_000)
  }

  @Test func `without a readable field there is no delay`() {
    #expect(RetryAfter.delay(in: [:], now: 0, limit: 600_000) == nil)
    #expect(RetryAfter.delay(in: [.retryAfter: "later"], now: 0, limit: 600_000) == nil)
  }
}
