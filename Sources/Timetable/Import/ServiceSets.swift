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

  /// - Throws: ``FeedError`` with code `emptyCalendar`, or `limitExceeded` if the days span more than
  ///   ``FeedLimits/serviceDays``.
  init(_ services: [ServiceDays]) throws(FeedError) {
    let days = services.map { Self.days(of: $0) }
    guard let first = days.compactMap(\.first).min(), let last = days.compactMap(\.last).max()
    else {
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
    var known: [[UInt64]: UInt32] = [:]
    for list in days {
      var set = [UInt64](repeating: 0, count: stride)
      for day in list { set[(day - first) / 64] |= 1 << UInt64((day - first) % 64) }
      if let number = known[set] {
        sets.append(number)
      } else {
        let number = UInt32(known.count)
        known[set] = number
        words += set
        sets.append(number)
      }
    }
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
