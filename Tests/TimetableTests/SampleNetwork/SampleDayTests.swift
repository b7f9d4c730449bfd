import Testing

@testable import SampleNetwork

@Suite struct SampleDayTests {
  @Test(arguments: ["2026-11-24", "20261124"])
  func `a day is read with and without hyphens`(text: String) throws {
    let day = try #require(SampleDay(text))
    #expect(day == SampleDay(year: 2026, month: 11, day: 24))
    #expect(day.description == "2026-11-24")
    #expect(day.digits == "20261124")
    #expect(day.weekday == 1)
  }

  @Test(arguments: [
    "", "2026-02-29", "2100-02-29", "2026-13-01", "2026-00-10", "2026-4-1", "1899-12-31",
    "3000-01-01", "2026/11/24", "20261131", "+2026112", "2026-11-24 ",
  ])
  func `what is not a day is refused`(text: String) {
    #expect(SampleDay(text) == nil)
  }

  @Test func `ordinals and digits agree over centuries`() {
    #expect(SampleDay("19700101")?.ordinal == 0)
    #expect(SampleDay("20000301")?.ordinal == 11_017)
    for ordinal in stride(from: -25_567, to: 376_000, by: 13) {
      let digits = SampleDay.digits(ofOrdinal: ordinal)
      #expect(SampleDay(digits)?.ordinal == ordinal)
    }
  }
}
