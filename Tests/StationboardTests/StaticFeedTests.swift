import HTTPTypes
import Testing
import Timetable

@testable import StationboardServer

/// When sources of timetables are asked, and which generation serves: pure rules.
@Suite struct StaticFeedTests {
  private let request = HTTPRequest(
    method: .get,
    scheme: "https",
    authority: "example.org",
    path: "/feed.zip"
  )

  private func generation(_ name: String, startsAt: Double? = nil) -> FeedManifest.Generation {
    let origin = FeedManifest.Origin(digest: name)
    return FeedManifest.Generation(name: name, origin: origin, startsAt: startsAt, lastDay: 99)
  }

  // MARK: Schedule

  @Test func `a source that was never asked is due, and asked without conditions`() {
    let schedule = StaticSchedule()
    #expect(schedule.isDue(now: 0, interval: 3_600))
    #expect(schedule.conditional(request) == request)
  }

  @Test(arguments: [0, 0.5, 1])
  func `an answer is asked for again after the interval, with its validators`(random: Double) throws
  {
    var schedule = StaticSchedule()
    schedule.start(now: 0, interval: 3_600, random: random)
    let response = StaticSchedule.Response(entityTag: "\"a\"", lastModified: "yesterday")
    schedule.finish(
      .content(response, digest: "d", .serves, reason: nil),
      now: 10,
      interval: 3_600,
      random: random
    )
    let next = try #require(schedule.nextAt)
    #expect(abs(next - (10 + 3_600 * (0.9 + 0.2 * random))) < 0.001)
    #expect(!schedule.isDue(now: next - 1, interval: 3_600))
    #expect(schedule.isDue(now: next, interval: 3_600))
    let fields = schedule.conditional(request).headerFields
    #expect(fields[.ifNoneMatch] == "\"a\"")
    #expect(fields[.ifModifiedSince] == "yesterday")
    #expect(schedule.error == nil && schedule.failures == 0)
  }

  @Test func `a source without validators is asked six times less often`() throws {
    var schedule = StaticSchedule()
    let content = StaticSchedule.Ending.content(.init(), digest: "d", .serves, reason: nil)
    schedule.finish(content, now: 0, interval: 3_600, random: 0.5)
    #expect(schedule.nextAt == 21_600)
  }

  @Test func `failures double the wait up to the interval, and Retry-After lengthens it`() {
    var schedule = StaticSchedule()
    var waits: [Double] = []
    for _ in 0..<8 {
      schedule.start(now: 0, interval: 3_600, random: 0.5)
      schedule.finish(.failed("x", retryAfter: nil), now: 0, interval: 3_600, random: 0.5)
      waits.append(schedule.nextAt ?? 0)
    }
    #expect(waits == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
    schedule.finish(.failed("x", retryAfter: 7_200), now: 0, interval: 3_600, random: 0.5)
    #expect(schedule.nextAt == 7_200)
    schedule.finish(.failed("x", retryAfter: 1e9), now: 0, interval: 3_600, random: 0.5)
    #expect(schedule.nextAt == 86_400)
  }

  @Test func `a check that is interrupted counts as failed`() {
    var schedule = StaticSchedule()
    schedule.start(now: 100, interval: 3_600, random: 0.5)
    #expect(schedule.nextAt == 160)
    #expect(schedule.error != nil)
  }

  @Test func `a clock that was set back does not stop the checks`() {
    var schedule = StaticSchedule()
    schedule.finish(.notModified(.init()), now: 1e9, interval: 3_600, random: 0.5)
    #expect(schedule.isDue(now: 1_000, interval: 3_600))
  }

  @Test func `why content is not used stays said while it does not change`() {
    var schedule = StaticSchedule()
    let response = StaticSchedule.Response(entityTag: "\"a\"")
    let refused = StaticSchedule.Ending.content(response, digest: "d", .refused, reason: "no zip")
    schedule.finish(refused, now: 0, interval: 3_600, random: 0.5)
    schedule.finish(.notModified(response), now: 0, interval: 3_600, random: 0.5)
    #expect(schedule.error == "no zip")
    let same = StaticSchedule.Ending.content(response, digest: "d", .unchanged, reason: nil)
    schedule.finish(same, now: 0, interval: 3_600, random: 0.5)
    #expect(schedule.error == "no zip")
    let other = StaticSchedule.Ending.content(response, digest: "e", .serves, reason: nil)
    schedule.finish(other, now: 0, interval: 3_600, random: 0.5)
    #expect(schedule.error == nil)
  }

  @Test func `another address begins again`() {
    var schedule = StaticSchedule()
    schedule.follow(fingerprint: "a", now: 0)
    schedule.finish(.notModified(.init(entityTag: "\"t\"")), now: 0, interval: 3_600, random: 0.5)
    schedule.follow(fingerprint: "a", now: 0)
    #expect(schedule.isConditional)
    schedule.follow(fingerprint: "b", now: 0)
    #expect(!schedule.isConditional && schedule.isDue(now: 0, interval: 3_600))
  }

  @Test func `two programs with different addresses do not ask without end`() {
    var schedule = StaticSchedule()
    var asked = 0
    for now in 0..<600 {
      // Each looks once a second.
      for address in ["a", "b"] {
        schedule.follow(fingerprint: address, now: Double(now))
        guard schedule.isDue(now: Double(now), interval: 3_600) else { continue }
        schedule.start(now: Double(now), interval: 3_600, random: 0.5)
        schedule.finish(.notModified(.init()), now: Double(now), interval: 3_600, random: 0.5)
        asked += 1
      }
    }
    #expect((1...11).contains(asked))
    // A clock that was set back does not make it wait longer.
    schedule.follow(fingerprint: "c", now: -10_000)
    #expect(schedule.isDue(now: -10_000, interval: 3_600))
  }

  @Test func `a file is not of the future`() {
    #expect(StaticSchedule.isPlausible(1_000, now: 1_000))
    #expect(StaticSchedule.isPlausible(1_300, now: 1_000))
    #expect(!StaticSchedule.isPlausible(1_301, now: 1_000))
  }

  // MARK: Generations

  @Test func `three generations are kept, and one can go back and forth`() {
    var manifest = FeedManifest()
    for name in ["1", "2", "3", "4"] {
      manifest.serve(generation(name), key: "k", prefix: "k")
    }
    #expect(manifest.feed("k")?.keptGenerations == ["4", "3", "2"])
    #expect(manifest.rollBack(key: "k")?.name == "3")
    #expect(manifest.feed("k")?.held?.reason == .rolledBack)
    #expect(manifest.accept(key: "k", now: 0)?.name == "4")
    #expect(manifest.feed("k")?.keptGenerations == ["4", "3", "2"])
    #expect(manifest.accept(key: "k", now: 0) == nil)
    #expect(manifest.rollBack(key: "none") == nil)
  }

  @Test func `a generation waits for its first day`() {
    var manifest = FeedManifest()
    manifest.serve(generation("1"), key: "k", prefix: nil)
    manifest.wait(generation("2", startsAt: 100), key: "k")
    #expect(manifest.promote(now: 99).isEmpty)
    #expect(manifest.feed("k")?.generation == "1")
    #expect(manifest.promote(now: 100) == ["k"])
    #expect(manifest.feed("k")?.keptGenerations == ["2", "1"])
    manifest.hold(generation("3", startsAt: 200), .losses, key: "k")
    #expect(manifest.accept(key: "k", now: 150)?.name == "3")
    #expect(manifest.feed("k")?.generation == "2")
    #expect(manifest.feed("k")?.waiting?.name == "3")
  }

  @Test func `what was imported by hand is replaced, not kept`() {
    var manifest = FeedManifest()
    for name in ["1", "2"] {
      manifest.serve(FeedManifest.Generation(name: name, origin: nil), key: "k", prefix: nil)
    }
    #expect(manifest.feed("k")?.keptGenerations == ["2"])
  }

  // MARK: Verdict

  private func verdict(
    days: ClosedRange<Int> = 0...100,
    serving: Int? = 100,
    isNight: Bool = false,
    isOlder: Bool = false,
    lost: Int = 0
  ) -> GenerationVerdict {
    var changes = ServiceChanges(firstDay: 10)
    changes.before = 100
    changes.lost = lost
    return GenerationVerdict(
      GenerationVerdict.Facts(
        today: 10,
        days: days,
        startsLater: isNight || days.lowerBound > 10,
        servingLastDay: serving,
        isOlder: isOlder,
        changes: changes,
        maxLostShare: 0.1
      )
    )
  }

  @Test func `a verdict follows from what passengers lose`() {
    #expect(verdict() == .serves)
    #expect(verdict(lost: 10) == .serves)
    #expect(verdict(lost: 11) == .held(.losses))
    #expect(verdict(isOlder: true) == .held(.older))
    #expect(verdict(serving: 9, isOlder: true) == .serves)
    #expect(verdict(days: 0...9, serving: 9, isOlder: true) == .held(.expired))
    #expect(verdict(days: 0...9) == .held(.expired))
    #expect(verdict(days: 0...10) == .serves)
    #expect(verdict(days: 11...20) == .waits)
    #expect(verdict(days: 11...20, serving: 9) == .serves)
    // The trips of the evening before have not ended.
    #expect(verdict(days: 10...20, isNight: true) == .waits)
    #expect(verdict(days: 10...20, serving: 9, isNight: true) == .waits)
    #expect(verdict(days: 0...9, serving: nil, lost: 100) == .serves)
  }

  @Test func `losses are said in words`() {
    func line(ran: [Int], gone: [Int]) -> String {
      ServiceChanges.Line(name: "42", before: 40, lost: 10, ranOn: ran, goneOn: gone).sentence
    }
    // 1970-01-04 was a Sunday.
    let days = Array(0..<14)
    #expect(line(ran: days, gone: [3, 10]) == "line 42 gone on Sundays")
    #expect(line(ran: days, gone: [3]) == "line 42 gone on 1970-01-04")
    #expect(line(ran: days, gone: days) == "line 42 gone (40 departures)")
    #expect(line(ran: days, gone: []) == "line 42: 25.0 % of its departures lost")
  }
}
