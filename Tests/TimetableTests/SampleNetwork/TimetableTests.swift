import Testing

@testable import SampleNetwork

@Suite struct TimetableTests {
  @Test func `times do not decrease within a trip and its rows stand together`() throws {
    let day = try #require(SampleDay("20261124"))
    let feed = try WrittenFeed(.init(stops: 200, stopTimes: 12_000, day: day))
    let table = try feed.table("stop_times")
    var finished: Set<String> = []
    var trip = ""
    var last = ""
    var sequence = 0
    var untimed = 0
    var latest = ""
    for row in table.rows {
      if row[0] != trip {
        #expect(finished.insert(trip).inserted)
        (trip, last, sequence) = (row[0], "00:00:00", 0)
      }
      sequence += 1
      #expect(row[4] == String(sequence))
      if row[1].isEmpty {
        untimed += 1
        #expect(row[2].isEmpty && row[8] == "0")
        continue
      }
      #expect(last <= row[1] && row[1] <= row[2])
      last = row[2]
      latest = max(latest, last)
    }
    #expect(!finished.contains(trip))
    #expect(untimed > 0)
    #expect(latest > "27:00:00" && latest <= "28:00:00")
  }

  @Test(arguments: [
    "2024-02-29", "2026-03-29", "2026-12-25", "2027-01-01", "2027-03-28", "2026-08-01",
  ])
  func `main stations have departures in every hour of the day`(text: String) throws {
    let plan = NetworkPlan(options: .init(day: try #require(SampleDay(text))))
    let hours = self.hours(of: plan)
    for station in 0..<6 {
      let found = hours[station, default: [:]]
      let name = plan.landscape.stops[station].name
      #expect((6...22).allSatisfy { found[$0] != nil }, "\(name)")
      #expect((24...27).contains { found[$0] != nil }, "\(name)")
      #expect(found[3] == nil, "\(name)")
    }
  }

  @Test(arguments: ["2026-11-27", "2026-11-28", "2026-11-29", "2026-12-25"])
  func `around the clock, main stations have two departures in every hour`(text: String) throws {
    let day = try #require(SampleDay(text))
    let plan = NetworkPlan(options: .init(stops: 100, day: day, isAroundTheClock: true))
    let hours = self.hours(of: plan)
    for station in 0..<6 {
      let found = hours[station, default: [:]]
      let name = plan.landscape.stops[station].name
      #expect(
        (0...23).allSatisfy { found[$0, default: 0] + found[$0 + 24, default: 0] >= 2 },
        "\(name): \(found)"
      )
    }
  }

  /// How many trips leave each stop in each hour of the plan's day.
  private func hours(of plan: NetworkPlan) -> [Int: [Int: Int]] {
    var hours: [Int: [Int: Int]] = [:]
    for (pattern, trips) in zip(plan.patterns, plan.budget.trips) where pattern.fixed == nil {
      let line = plan.lines[pattern.line]
      let template = TripTemplate(pattern: pattern, line: line, stops: plan.landscape.stops)
      var calls = Array(line.calls[pattern.range])
      if pattern.direction == 1 { calls.reverse() }
      for part in pattern.mix.divide(trips: trips) {
        let service = plan.calendar.services[
          plan.calendar.index(part.share.kind, region: line.region)
        ]
        guard service.runs(on: plan.options.day) else { continue }
        for departure in plan.departures(part.share, part.trips, pattern, template) {
          for (call, row) in zip(calls, template.rows).dropLast() {
            hours[call.stop, default: [:]][(departure + row.departure) / 3600, default: 0] += 1
          }
        }
      }
    }
    return hours
  }

  @Test(arguments: [1, 5, 7, 9, 19, 33, 60, 117, 500, 5000, 100_000])
  func `departures are as many as wanted, in order and within the window`(count: Int) {
    for window in [300...1440, 1420...1680, 400...460] {
      let times = Departures.times(count: count, window: window, phase: 11)
      #expect(times.count == count)
      #expect(times == times.sorted())
      #expect(times.allSatisfy { $0 >= window.lowerBound * 60 && $0 <= window.upperBound * 60 })
    }
  }

  @Test func `clock digits go past midnight`() {
    let clock = ClockDigits()
    #expect(clock.text(second: 0) == "00:00:00")
    #expect(clock.text(second: 27 * 3600 + 59 * 60 + 8) == "27:59:08")
  }
}

extension Service {
  fileprivate func runs(on day: SampleDay) -> Bool {
    let ordinal = day.ordinal
    return self.added.contains(ordinal)
      || self.hasInWeek(ordinal) && !self.removed.contains(ordinal)
  }
}
