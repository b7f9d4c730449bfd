import GTFS
import Hashing
import Testing

@testable import Timetable

/// The days of a service, as bits.
@Suite struct DaySetTests {
  /// The same days, one at a time.
  private func days(of service: ServiceDays) -> Set<Int> {
    var days = Set<Int>()
    for day in stride(
      from: service.first.daysSinceEpoch,
      through: service.last.daysSinceEpoch,
      by: 1
    )
    where service.weekdays >> UInt8(ServiceDate(daysSinceEpoch: day).weekday) & 1 == 1 {
      days.insert(day)
    }
    days.formUnion(service.added.map(\.daysSinceEpoch))
    days.subtract(service.removed.map(\.daysSinceEpoch))
    return days
  }

  private func days(of set: DaySet) -> Set<Int> {
    var days = Set<Int>()
    for (index, word) in set.bits.enumerated() {
      for bit in 0..<64 where word >> UInt64(bit) & 1 == 1 {
        days.insert(set.first + index * 64 + bit)
      }
    }
    return days
  }

  private func date(_ day: Int) -> ServiceDate { ServiceDate(daysSinceEpoch: day) }

  @Test func `bits are the days that are counted one by one`() {
    var random = SplitMix64(seed: 20_261_123)
    for round in 0..<2_000 {
      var service = ServiceDays()
      let start = Int.random(in: -200...20_000, using: &random)
      service.first = date(start)
      service.last = date(start + Int.random(in: -3...400, using: &random))
      service.weekdays = UInt8.random(in: 0...0x7F, using: &random)
      func some(_ most: Int) -> [ServiceDate] {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in
          date(start + Int.random(in: -150...500, using: &random))
        }
      }
      service.added = some(4)
      service.removed = some(round.isMultiple(of: 3) ? 400 : 4)
      let set = DaySet(service)
      let expected = days(of: service)
      #expect(days(of: set) == expected)
      // Equal days are equal values: no bits before the first day, no words after the last.
      #expect(set.first == expected.min() ?? 0)
      #expect(set.last == expected.max() ?? -1)
      #expect(set.bits.count == (expected.isEmpty ? 0 : (set.last - set.first) / 64 + 1))
    }
  }

  @Test func `a span is known and cut before memory is taken for it`() throws {
    var service = ServiceDays()
    (service.first, service.last, service.weekdays) = (date(0), date(1 << 40), 1)
    #expect(DaySet.span(of: service)?.count ?? 0 > 1 << 39)
    #expect(try ServiceSets([service], today: 20_454).words.count == 571)
    service.weekdays = 0
    #expect(DaySet.span(of: service) == nil)
    #expect(DaySet(service).bits.isEmpty)
    service.added = [date(0), date(100)]
    #expect(DaySet.span(of: service) == 0...100)
  }

  @Test func `removed days at both ends leave the days between`() {
    var service = ServiceDays()
    (service.first, service.last, service.weekdays) = (date(100), date(299), 0x7F)
    service.removed = (100..<170).map(date) + (230...299).map(date)
    let set = DaySet(service)
    #expect((set.first, set.last) == (170, 229))
    #expect(set.bits == [(1 << 60) - 1])
  }
}
