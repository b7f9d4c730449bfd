import Testing
import Timetable

/// Days as runs, beside a set of days.
@Suite struct DayRunsTests {
  @Test func `runs have the days of a set, and count back among them`() {
    let runs = DayRuns([3, 5, 8, 8, 12, 20])
    let days = Set(3...5).union([8]).union(12...20)
    for day in 0...25 {
      #expect(runs.contains(day) == days.contains(day))
      for count in 0...20 {
        var (expected, rest) = (day, count)
        while rest > 0 {
          expected -= 1
          if days.contains(expected) || expected < 3 { rest -= 1 }
        }
        #expect(runs.day(count, before: day) == expected, "\(count) before \(day)")
      }
    }
  }

  @Test func `without days every day counts`() {
    #expect(DayRuns().day(3, before: 10) == 7)
    #expect(!DayRuns().contains(1))
  }

  @Test(arguments: [[1], [2, 1], [1, 2, 2, 1], [0, 1 << 31]])
  func `bounds that are out of order or far away are not sound`(bounds: [Int]) {
    #expect(!DayRuns(bounds).isSound)
    #expect(DayRuns([-3, -3, 1, 4]).isSound)
  }
}
