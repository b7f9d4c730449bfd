import GTFS
import Testing

@testable import Timetable

/// How much the days of services may take.
@Suite struct ServiceSetsTests {
  /// Services of one added day each, so many days after the first of 2026.
  private func services(_ days: Int...) -> [ServiceDays] {
    days.map { day in
      var service = ServiceDays()
      service.added = [ServiceDate(daysSinceEpoch: 20_454 + day)]
      return service
    }
  }

  private func failure(_ services: [ServiceDays], mostBytes: Int) -> FeedError? {
    do throws(FeedError) {
      _ = try ServiceSets(services, today: 20_454, mostBytes: mostBytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func `services that run on the same days take their days once`() throws {
    let sets = try ServiceSets(services(0, 63, 0, 63), today: 20_454, mostBytes: 16)
    #expect(sets.sets == [0, 1, 0, 1])
    #expect(sets.words == [1, 1 << 63])
  }

  @Test func `the days of each service over the whole period count`() {
    // 64 days are one word for each of two services, 65 days are two.
    #expect(failure(services(0, 63), mostBytes: 16) == nil)
    let error = failure(services(0, 64), mostBytes: 31)
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("take more than 31 bytes") == true)
    #expect(failure(services(0, 64), mostBytes: 32) == nil)
  }

  @Test func `services that take more by themselves are refused before the next one is read`() {
    var long = ServiceDays()
    long.weekdays = 0x7F
    long.first = ServiceDate(daysSinceEpoch: 0)
    long.last = ServiceDate(daysSinceEpoch: 639)
    #expect(failure([long], mostBytes: 79)?.code == .limitExceeded)
    #expect(failure([long], mostBytes: 80) == nil)
  }

  @Test func `service spans as many days as the limit says, and not one more`() throws {
    let most = FeedLimits.serviceDays
    let whole = try ServiceSets(services(0, most - 1), today: 20_454, mostBytes: 1 << 30)
    #expect(whole.shortened.isEmpty)
    #expect(whole.dayCount == most)
    let cut = try ServiceSets(services(0, most), today: 20_454, mostBytes: 1 << 30)
    #expect(cut.shortened == [1])
    #expect(cut.dayCount == 1)
    #expect(cut.lastRepresentable - cut.firstRepresentable + 1 == most)
  }

  @Test func `what takes too much is named with file and line`() {
    var services = services(0, 64)
    services[1].file = .calendarDates
    services[1].line = 7
    let error = failure(services, mostBytes: 31)
    #expect(error?.message.hasPrefix("calendar_dates.txt, line 7: ") == true)
  }

  @Test func `a feed of many long services is refused with the limit of the timetable file`() {
    // Over the limit by one: as many sets of 36,525 days as fit.
    #expect(FeedLimits.serviceBytes == 256 << 20)
    let words = (FeedLimits.serviceDays + 63) / 64
    let most = FeedLimits.serviceBytes / 8 / words
    let ends = services(0, FeedLimits.serviceDays - 1)
    // Days of their own for each of them, but few.
    let others = (1..<most).flatMap { number -> [ServiceDays] in
      var service = ServiceDays()
      let first = 20_454 + 1 + number % 30_000
      service.added = [
        ServiceDate(daysSinceEpoch: first),
        ServiceDate(daysSinceEpoch: first + 1 + number / 30_000),
      ]
      return [service]
    }
    let error = failure(ends + others, mostBytes: FeedLimits.serviceBytes)
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("268435456 bytes") == true)
  }
}
