import GTFS

/// The services of a feed as sets of days; services that run on the same days share one set.
struct ServiceSets {
  /// The first day on which something runs, and how many days until the last, both included.
  let firstDay: Int
  let dayCount: Int
  /// Words of one set.
  let stride: Int
  /// All distinct sets, one after another.
  private(set) var words: [UInt64] = []
  /// For each service the number of its set.
  private(set) var sets: [UInt32] = []

  /// The days of a service: bits, from its first day on.
  private struct Days: Hashable {
    var first = 0
    var last = -1
    var bits: [UInt64] = []

    init(_ list: [Int]) {
      guard let first = list.first, let last = list.last else { return }
      (self.first, self.last) = (first, last)
      bits = [UInt64](repeating: 0, count: (last - first) / 64 + 1)
      for day in list { bits[(day - first) / 64] |= 1 << UInt64((day - first) % 64) }
    }
  }

  /// - Parameters:
  ///   - services: The services.
  ///   - mostBytes: How much their days may take.
  /// - Throws: ``FeedError`` with code `emptyCalendar`, or `limitExceeded` if the days span more than
  ///   ``FeedLimits/serviceDays`` or take more than `mostBytes`.
  init(
    _ services: [ServiceDays],
    mostBytes: Int = FeedLimits.serviceBytes
  ) throws(FeedError) {
    var known: [Days: UInt32] = [:]
    var distinct: [Days] = []
    var bytes = 0
    for service in services {
      let days = Days(Self.days(of: service))
      if let number = known[days] {
        sets.append(number)
        continue
      }
      bytes += days.bits.count * MemoryLayout<UInt64>.stride
      guard bytes <= mostBytes else { throw Self.tooManyDays(mostBytes, service) }
      sets.append(UInt32(distinct.count))
      known[days] = UInt32(distinct.count)
      distinct.append(days)
    }
    let running = distinct.filter { !$0.bits.isEmpty }
    guard let first = running.map(\.first).min(), let last = running.map(\.last).max() else {
      throw FeedError(.emptyCalendar, "no service runs on any day")
    }
    guard last - first < FeedLimits.serviceDays else {
      throw FeedError(
        .limitExceeded,
        "calendar.txt: service from \(ServiceDate(daysSinceEpoch: first)) to"
          + " \(ServiceDate(daysSinceEpoch: last)); the limit is \(FeedLimits.serviceDays) days"
      )
    }
    firstDay = first
    dayCount = last - first + 1
    stride = (dayCount + 63) / 64
    guard distinct.count <= mostBytes / MemoryLayout<UInt64>.stride / stride else {
      throw Self.tooManyDays(mostBytes, services.last)
    }
    words = [UInt64](repeating: 0, count: distinct.count * stride)
    for (number, days) in distinct.enumerated() where !days.bits.isEmpty {
      let offset = days.first - first
      let (place, shift) = (number * stride + offset / 64, UInt64(offset % 64))
      for (index, bits) in days.bits.enumerated() {
        words[place + index] |= bits << shift
        let carried = shift == 0 ? 0 : bits >> (64 - shift)
        if carried != 0 { words[place + index + 1] |= carried }
      }
    }
  }

  private static func tooManyDays(_ mostBytes: Int, _ service: ServiceDays?) -> FeedError {
    let place = service.map { "\($0.file.rawValue), line \($0.line)" } ?? "calendar.txt"
    return FeedError(
      .limitExceeded,
      "\(place): the days of all services until here take more than \(mostBytes) bytes"
    )
  }

  /// The days a service runs, ordered.
  private static func days(of service: ServiceDays) -> [Int] {
    var days = Set<Int>()
    if service.first <= service.last, service.weekdays != 0 {
      for day in service.first.daysSinceEpoch...service.last.daysSinceEpoch {
        let weekday = ServiceDate(daysSinceEpoch: day).weekday
        if service.weekdays >> UInt8(weekday) & 1 == 1 { days.insert(day) }
      }
    }
    for date in service.added { days.insert(date.daysSinceEpoch) }
    for date in service.removed { days.remove(date.daysSinceEpoch) }
    return days.sorted()
  }
}
