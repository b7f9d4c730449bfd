import GTFS
import Testing

@Suite struct TimeOfDayTests {
  private func read(_ text: String) -> TimeOfDay.Field {
    Array(text.utf8).withUnsafeBytes { TimeOfDay.read($0) }
  }

  static let times: [(String, Int32)] = [
    ("0:00:00", 0), ("00:00:00", 0), ("000:00:00", 0), ("0:00:01", 1), ("8:05:09", 29_109),
    ("08:05:09", 29_109), ("23:59:59", 86_399), ("24:00:00", 86_400), ("25:00:00", 90_000),
    ("48:30:00", 174_600), ("99:59:59", 359_999), ("100:00:00", 360_000),
    ("336:00:00", 1_209_600),
  ]

  @Test(arguments: times)
  func `times of a service day are read in seconds`(text: String, seconds: Int32) {
    #expect(read(text) == .seconds(seconds))
  }

  @Test func `nothing is a blank`() {
    #expect(read("") == .blank)
  }

  @Test(arguments: [
    " ", "8", "8:00", "08:00", ":00:00", "8:0:00", "8:00:0", "08:60:00", "08:00:60", "-1:00:00",
    "+8:00:00", "08-00-00", "08:00:00Z", "0x:00:00", "08:0a:00", "08:00:0:", "08:00:00.0",
    "8:00:00 AM", "1000:00:00", "0008:00:00", "336:00:01", "999:00:00", "٠٨:٠٠", "08.00.00",
    "080000",
  ])
  func `everything else is malformed`(text: String) {
    #expect(read(text) == .malformed)
  }

  @Test func `every second of three days is read as it is written`() {
    for seconds in stride(from: 0, to: 3 * 86_400, by: 7) {
      #expect(read(TimeOfDay.text(seconds)) == .seconds(Int32(seconds)))
    }
    #expect(TimeOfDay.text(90_061) == "25:01:01")
  }
}
