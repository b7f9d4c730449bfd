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

  /// - Parameters:
  ///   - services: The services.
  ///   - mostBytes: How much their days may take.
  /// - Throws: ``FeedError`` with code `emptyCalendar`, or `limitExceeded` if the days span more than
  ///   ``FeedLimits/serviceDays`` or take more than `mostBytes`.
  init(
    _ services: [ServiceDays],
    mostBytes: Int = FeedLimits.serviceBytes
  ) throws(FeedError) {
    var known: [DaySet: UInt32] = [:]
    var distinct: [DaySet] = []
    var bytes = 0
    for service in services {
      // Before memory is taken for the days.
      if let span = DaySet.span(of: service) { try Self.check(span) }
      let days = DaySet(service)
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
    try Self.check(first...last)
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

  /// Throws if the days of one service, or of all, span too many years.
  private static func check(_ span: ClosedRange<Int>) throws(FeedError) {
    guard span.count > FeedLimits.serviceDays else { return }
    throw FeedError(
      .limitExceeded,
      "calendar.txt: service from \(ServiceDate(daysSinceEpoch: span.lowerBound)) to"
        + " \(ServiceDate(daysSinceEpoch: span.upperBound)); the limit is \(FeedLimits.serviceDays) days"
    )
  }

  private static func tooManyDays(_ mostBytes: Int, _ service: ServiceDays?) -> FeedError {
    let place = service.map { "\($0.file.rawValue), line \($0.line)" } ?? "calendar.txt"
    return FeedError(
      .limitExceeded,
      "\(place): the days of all services until here take more than \(mostBytes) bytes"
    )
  }
}
