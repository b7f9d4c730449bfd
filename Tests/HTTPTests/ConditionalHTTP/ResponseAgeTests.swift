import ConditionalHTTP
import HTTPTypes
import Testing

@Suite struct ResponseAgeTests {
  /// 784_111_777 s.
  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

  @Test func `the arithmetic of the RFC`() {
    let age = ResponseAge(
      fields: [.age: "10", .date: Self.date],
      requestTime: 1_000,
      responseTime: 1_400,
      wallTime: 784_111_777_000 + 12_500
    )
    #expect(age.ageValue == 10_000)
    #expect(age.apparentAge == 12_500)
    #expect(age.responseDelay == 400)
    #expect(age.correctedAgeValue == 10_400)
    #expect(age.correctedInitialAge == 12_500)
    #expect(age.residentTime(now: 6_400) == 5_000)
    #expect(age.currentAge(now: 6_400) == 17_500)
  }

  @Test func `the larger figure counts`() {
    let age = ResponseAge(
      fields: [.age: "60", .date: Self.date],
      requestTime: 0,
      responseTime: 100,
      wallTime: 784_111_777_000 + 5_000
    )
    #expect(age.correctedInitialAge == 60_100)
  }

  @Test(
    arguments: [
      ("7", 7_000), (" 7 ", 7_000), ("7, 9", 7_000), ("007", 7_000), ("", 0), ("-7", 0), ("7.5", 0),
      ("x", 0), (", 7", 0), ("99999999999999999999", 2_147_483_648_000),
    ] as [(String, Int64)]
  )
  func `the first age counts and an unreadable one is ignored`(field: String, milliseconds: Int64) {
    let age = ResponseAge(fields: [.age: field], requestTime: 0, responseTime: 0)
    #expect(age.ageValue == milliseconds)
  }

  @Test(arguments: [("0", true), ("7", true), ("", false), ("-7", false), ("x", false)])
  func `an age of 0 comes from a cache as well`(field: String, isFromCache: Bool) {
    let age = ResponseAge(fields: [.age: field], requestTime: 0, responseTime: 0)
    #expect(age.isFromCache == isFromCache)
    #expect(!ResponseAge(fields: [:], requestTime: 0, responseTime: 0).isFromCache)
  }

  @Test func `without fields the age is the way of the answer`() {
    let age = ResponseAge(fields: [:], requestTime: 10, responseTime: 30, wallTime: 999)
    #expect(age.currentAge(now: 130) == 120)
    #expect(age.clockLead == nil)
  }

  @Test func `a server whose clock is ahead makes no negative age`() {
    let age = ResponseAge(
      fields: [.date: Self.date],
      requestTime: 0,
      responseTime: 0,
      wallTime: 784_111_777_000 - 90_000
    )
    #expect(age.apparentAge == 0)
    #expect(age.clockLead == 90_000)
  }

  @Test func `without a wall clock a wrong device clock cannot be seen`() {
    let age = ResponseAge(fields: [.age: "3", .date: Self.date], requestTime: 0, responseTime: 50)
    #expect(age.apparentAge == 0)
    #expect(age.currentAge(now: 1_050) == 4_050)
    #expect(age.clockLead == nil)
  }

  @Test func `the lead counts the time in caches and half the way`() {
    let age = ResponseAge(
      fields: [.age: "10", .date: Self.date],
      requestTime: 0,
      responseTime: 400,
      wallTime: 784_111_777_000
    )
    #expect(age.clockLead == 10_200)
  }

  @Test func `clocks that go back make no negative age`() {
    let age = ResponseAge(requestTime: 500, responseTime: 100)
    #expect(age.responseDelay == 0)
    #expect(age.residentTime(now: 50) == 0)
    #expect(age.currentAge(now: 0) == 0)
  }

  @Test func `extreme clocks overflow nothing`() {
    let age = ResponseAge(
      ageValue: .max,
      date: HTTPDate(secondsSince1970: .min),
      requestTime: .min,
      responseTime: .max,
      wallTime: .max
    )
    #expect(age.currentAge(now: .max) == .max)
    #expect(age.residentTime(now: .min) == 0)
    #expect(ResponseAge(ageValue: -1, requestTime: 0, responseTime: 0).ageValue == 0)
    let early = ResponseAge(
      ageValue: .max,
      date: HTTPDate(secondsSince1970: .max),
      requestTime: 0,
      responseTime: 0,
      wallTime: .min
    )
    #expect(early.apparentAge == 0)
    #expect(early.clockLead == nil)
  }
}
