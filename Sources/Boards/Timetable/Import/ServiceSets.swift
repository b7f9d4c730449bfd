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
  /// The first and the last day that can be represented, if the services span more than ``FeedLimits/serviceDays``;
  /// else those that they span.
  let firstRepresentable: Int
  let lastRepresentable: Int
  /// The services that lost days because they begin before or end after those.
  private(set) var shortened: [Int] = []

  /// - Parameters:
  ///   - services: The services.
  ///   - today: The day of the import, in days since 1 January 1970.
  ///   - mostBytes: How much their days may take.
  /// - Throws: ``FeedError`` with code `emptyCalendar`, or `limitExceeded` if the days take more than `mostBytes`.
  init(
    _ services: [ServiceDays],
    today: Int,
    mostBytes: Int = FeedLimits.serviceBytes
  ) throws(FeedError) {
    // Before memory is taken for the days.
    let spans = services.map { DaySet.span(of: $0) }
    let window = Self.window(spans.compactMap(\.self), today: today)
    (firstRepresentable, lastRepresentable) = (window.lowerBound, window.upperBound)
    var known: [DaySet: UInt32] = [:]
    var distinct: [DaySet] = []
    var bytes = 0
    for (number, service) in services.enumerated() {
      let isShortened = spans[number].map { $0.clamped(to: window) != $0 } ?? false
      if isShortened { shortened.append(number) }
      let days = DaySet(isShortened ? service.within(window) : service)
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

  /// The days that are kept: all if they are few enough, else as many as can be represented.
  ///
  /// These begin with the first day, but no earlier than half of them before today, so that a start in 1900 beside an
  /// end in 9999 loses days of both; they end with the last day if that is near.
  private static func window(_ spans: [ClosedRange<Int>], today: Int) -> ClosedRange<Int> {
    guard let first = spans.map(\.lowerBound).min(), let last = spans.map(\.upperBound).max() else {
      return 0...0
    }
    let most = FeedLimits.serviceDays
    guard last - first >= most else { return first...last }
    let begin = max(first, min(today - most / 2, last - most + 1))
    return begin...(begin + most - 1)
  }

  private static func tooManyDays(_ mostBytes: Int, _ service: ServiceDays?) -> FeedError {
    let place = service.map { "\($0.file.rawValue), line \($0.line)" } ?? "calendar.txt"
    return FeedError(
      .limitExceeded,
      "\(place): the days of all services until here take more than \(mostBytes) bytes"
    )
  }
}
