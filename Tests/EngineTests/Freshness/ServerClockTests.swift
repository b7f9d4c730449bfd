import Testing

@testable import Freshness

@Suite("R37: the server's clock")
struct ServerClockTests {
  /// A clock, and the readings that it is given: server times and instants in seconds, all measured unless it is said.
  private struct Bench {
    var clock = ServerClock()
    var last: UInt32 = 0
    var counted: UInt32 = 0

    mutating func note(
      _ served: Double,
      at now: Double,
      range: Double = 0.1,
      isMeasured: Bool = true
    ) {
      let now = Instant(milliseconds: Int64(now * 1_000))
      let quarter = UInt32(now.milliseconds / 250)
      let reading = ServerClock.Reading(
        served: WallTime(milliseconds: Int64(served * 1_000)),
        range: .milliseconds(Int64(range * 1_000)),
        isMeasured: isMeasured,
        quarters: clock.isKnown ? quarter &- last : 0,
        drift: clock.drift(until: quarter, countedUntil: &counted),
        now: now
      )
      clock.note(reading, tolerance: .minutes(5))
      last = quarter
    }

    func latest(at now: Double) -> Double? {
      clock.latest(at: Instant(milliseconds: Int64(now * 1_000))).map {
        Double($0.milliseconds) / 1_000
      }
    }
  }

  @Test func `Responses that agree narrow it down, and the later of two that do not is right`() {
    var bench = Bench()
    #expect(bench.latest(at: 0) == nil)
    bench.note(1_000, at: 0, range: 2)
    #expect(bench.latest(at: 0) == 1_002)
    bench.note(1_010.5, at: 10, range: 0.5)
    #expect(bench.latest(at: 10) == 1_011)
    // From a cache.
    bench.note(1_005, at: 20)
    // Later by the drift of 10 s.
    #expect(bench.latest(at: 20) == 1_021.005)
    // The one before had been in a cache.
    bench.note(1_060, at: 30)
    #expect(bench.latest(at: 30) == 1_060.1)
  }

  @Test(arguments: [(400.0, 2), (7.0, 20)])
  func `A clock that was set back is believed once responses go on from there`(
    behind: Double,
    count: Int
  ) {
    var bench = Bench()
    bench.note(1_000, at: 0)
    for number in 1...count {
      let now = Double(number) * 15
      // Within a tenth of a second of each other.
      bench.note(1_000 + now - behind + Double(number % 2) * 0.1, at: now)
      let isSet = bench.latest(at: now).map { $0 < 1_000 + now - 1 } ?? false
      #expect(isSet == (number == count), "\(number)")
    }
  }

  /// `Date` counts whole seconds, and ways differ by up to 1.5 s.
  @Test(arguments: [(-30.0, 10.0), (-4, 2), (-250, 15), (-3_600, 2), (-600, 1)])
  func `A step back is believed within minutes, however readings vary`(
    step: Double,
    interval: Double
  ) {
    var bench = Bench()
    var last = 0.0
    for number in 0..<200 {
      let now = Double(number) * interval
      let delay = Double(number * 7 % 16) / 10
      let server = 1_000_000 + now + (number < 50 ? 0 : step)
      bench.note((server - delay).rounded(.down), at: now, range: 1 + delay)
      // The clock may show up to a second and the shortest way too much, and 3 s after a step.
      let tooLate = (bench.latest(at: now) ?? 0) - server
      #expect(tooLate >= 0, "\(number)")
      if tooLate > 5 { last = now - 50 * interval }
    }
    #expect(last <= max(25 * interval, 20), "\(last) s")
  }

  @Test func `One response that shows a later time is forgotten after a while`() {
    var bench = Bench()
    for number in 0..<60 {
      let now = Double(number) * 10
      bench.note(1_000 + now + (number == 5 ? 240 : 0), at: now)
    }
    #expect(bench.latest(at: 590).map { abs($0 - 1_590) < 1 } == true)
  }

  @Test(arguments: [400.0, 7.0])
  func `The copy of a cache stands still and is not believed, however often it comes`(
    behind: Double
  ) {
    var bench = Bench()
    bench.note(1_000, at: 0)
    for number in 1...200 {
      bench.note(1_000 - behind, at: Double(number) * 5)
    }
    #expect(bench.latest(at: 1_000).map { $0 >= 2_000 } == true)
    // Neither is one that is repeated at once.
    for number in 1...100 { bench.note(1_600, at: 1_000 + Double(number) / 10) }
    #expect(bench.latest(at: 1_010).map { $0 >= 2_010 } == true)
  }

  @Test(arguments: [(28.0, 6_581.6), (400, 6_953.6), (3_872, 10_425.6)])
  func `Two copies of different ages set nothing back`(first: Double, second: Double) {
    var bench = Bench()
    bench.note(1_000_000, at: 0)
    bench.note(1_000_012 - first, at: 12)
    bench.note(1_000_027 - second, at: 27)
    #expect(bench.latest(at: 27).map { $0 >= 1_000_027 } == true)
  }

  @Test func `Two edges in turn, of which one is ten minutes behind, set nothing back`() {
    var bench = Bench()
    for number in 0..<50 {
      let now = Double(number) * 15
      bench.note(1_000 + now - (number % 2 == 0 ? 0 : 600), at: now)
      #expect(bench.latest(at: now).map { $0 >= 1_000 + now } == true)
    }
  }

  @Test func `Stream events that are late all the time set nothing back`() {
    var bench = Bench()
    bench.note(1_000, at: 0)
    for number in 1...200 {
      let now = Double(number) * 15
      bench.note(1_000 + now - 12, at: now, isMeasured: false)
    }
    #expect(bench.latest(at: 3_000).map { $0 >= 4_000 } == true)
  }

  /// A day of requests with two clocks of which the device's is 60 ppm faster.
  @Test(arguments: [5.0, 15.0, 60.0, 300.0])
  func `Clocks that drift apart contradict nothing`(interval: Double) {
    var bench = Bench()
    var worst = 0.0
    for number in 0..<Int(86_400 / interval) {
      let now = Double(number) * interval
      let server = 1_000_000 + now * (1 - 60e-6)
      // The way back takes between nothing and the whole duration.
      bench.note(server - (number % 3 == 0 ? 0 : 0.08), at: now)
      worst = max(worst, (bench.latest(at: now) ?? 0) - server)
    }
    #expect(worst < 0.25, "\(worst)")
  }
}
