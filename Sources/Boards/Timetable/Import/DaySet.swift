import GTFS

/// The days on which a service runs, as one bit a day from the first such day to the last.
///
/// A weekly pattern is written by words of 64 days, so that a calendar of a hundred years costs no more than its size.
struct DaySet: Hashable {
  /// Days since 1 January 1970; `last` is before `first` if the service never runs.
  private(set) var first = 0
  private(set) var last = -1
  private(set) var bits: [UInt64] = []

  /// - Parameter service: The rows of calendar.txt and calendar_dates.txt of one service; a removed date wins over an
  ///   added one. Takes memory for every day of ``span(of:)``.
  init(_ service: ServiceDays) {
    guard let span = Self.span(of: service) else { return }
    let (low, high) = (span.lowerBound, span.upperBound)
    bits = [UInt64](repeating: 0, count: (high - low) / 64 + 1)
    if let weekly = Self.weeklySpan(of: service) {
      fill(weekly, weekdays: service.weekdays, from: low)
    }
    for day in service.added.map(\.daysSinceEpoch) {
      bits[(day - low) / 64] |= 1 << UInt64((day - low) % 64)
    }
    for date in service.removed where (low...high).contains(date.daysSinceEpoch) {
      let offset = date.daysSinceEpoch - low
      bits[offset / 64] &= ~(1 << UInt64(offset % 64))
    }
    (first, last) = (low, high)
    trim()
  }

  /// The first and the last day that the rows name, removed dates not counted, in days since 1 January 1970.
  static func span(of service: ServiceDays) -> ClosedRange<Int>? {
    let weekly = weeklySpan(of: service)
    let added = service.added.map(\.daysSinceEpoch)
    guard let low = [weekly?.lowerBound, added.min()].compactMap(\.self).min(),
      let high = [weekly?.upperBound, added.max()].compactMap(\.self).max()
    else { return nil }
    return low...high
  }

  /// The first and the last day that the weekly pattern names.
  private static func weeklySpan(of service: ServiceDays) -> ClosedRange<Int>? {
    let (first, last) = (service.first.daysSinceEpoch, service.last.daysSinceEpoch)
    guard first <= last, service.weekdays & 0x7F != 0 else { return nil }
    func runs(_ day: Int) -> Bool {
      service.weekdays >> UInt8(ServiceDate(daysSinceEpoch: day).weekday) & 1 == 1
    }
    guard let low = (first...min(last, first + 6)).first(where: runs),
      let high = (max(first, last - 6)...last).last(where: runs)
    else { return nil }
    return low...high
  }

  /// Adds the days of a weekly pattern.
  private mutating func fill(_ days: ClosedRange<Int>, weekdays: UInt8, from low: Int) {
    let patterns = (0..<7).map { start in
      (0..<64).reduce(into: UInt64(0)) { word, bit in
        if weekdays >> UInt8((start + bit) % 7) & 1 == 1 { word |= 1 << UInt64(bit) }
      }
    }
    let (begin, end) = (days.lowerBound - low, days.upperBound - low)
    for index in begin / 64...end / 64 {
      var word = patterns[ServiceDate(daysSinceEpoch: low + index * 64).weekday]
      if index == begin / 64 { word &= ~0 << UInt64(begin % 64) }
      if index == end / 64 { word &= ~0 >> UInt64(63 - end % 64) }
      bits[index] |= word
    }
  }

  /// Leaves out what removed dates emptied at both ends, so that equal days are equal values.
  private mutating func trim() {
    guard let head = bits.firstIndex(where: { $0 != 0 }),
      let tail = bits.lastIndex(where: { $0 != 0 })
    else {
      self = DaySet()
      return
    }
    let shift = head * 64 + bits[head].trailingZeroBitCount
    let newLast = first + tail * 64 + 63 - bits[tail].leadingZeroBitCount
    let newFirst = first + shift
    if shift > 0 { bits = Self.shifted(bits, by: shift) }
    bits.removeLast(bits.count - ((newLast - newFirst) / 64 + 1))
    (first, last) = (newFirst, newLast)
  }

  private static func shifted(_ bits: [UInt64], by shift: Int) -> [UInt64] {
    let (words, rest) = (shift / 64, UInt64(shift % 64))
    return (words..<bits.count).map { index in
      let next = index + 1 < bits.count ? bits[index + 1] : 0
      return rest == 0 ? bits[index] : bits[index] >> rest | next << (64 - rest)
    }
  }

  private init() {}
}
