/// Finds what the feed says of a trip on a service day: an open hash table without removal,
/// at most half full.
struct InstanceTable: Sendable {
  /// Trip and day in one number; ``free`` where nothing is.
  private var keys: [UInt64]
  private var values: [UInt32]
  /// One bit for each trip of the timetable: most trips have no realtime, and are skipped fast.
  private var trips: [UInt64]
  private var slots: HashSlots
  private var count = 0
  private static let free = UInt64.max

  /// - Parameters:
  ///   - tripCount: How many trips the timetable has.
  ///   - capacity: How many entries there will be, as far as it is known.
  init(tripCount: Int, capacity: Int) {
    slots = HashSlots(capacity: capacity)
    keys = Array(repeating: Self.free, count: slots.count)
    values = Array(repeating: 0, count: slots.count)
    trips = Array(repeating: 0, count: (tripCount + 63) / 64)
  }

  private static func key(_ trip: UInt32, _ day: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: day)) << 32 | UInt64(trip)
  }

  @inline(__always)
  private func slot(_ key: UInt64) -> Int {
    var place = slots.first(for: key)
    while keys[place] != Self.free, keys[place] != key { place = slots.next(after: place) }
    return place
  }

  /// The number entered for a trip and a day.
  @inline(__always)
  func find(_ trip: UInt32, _ day: Int32) -> UInt32? {
    guard trips[Int(trip) >> 6] >> UInt64(trip & 63) & 1 == 1 else { return nil }
    let place = slot(Self.key(trip, day))
    return keys[place] == Self.free ? nil : values[place]
  }

  /// Enters a number; an earlier one of the same trip and day is replaced.
  mutating func insert(_ trip: UInt32, _ day: Int32, _ value: UInt32) {
    trips[Int(trip) >> 6] |= 1 << UInt64(trip & 63)
    let key = Self.key(trip, day)
    let place = slot(key)
    if keys[place] == Self.free {
      count += 1
      if count * 2 > keys.count { return grow(inserting: key, value) }
    }
    keys[place] = key
    values[place] = value
  }

  private mutating func grow(inserting key: UInt64, _ value: UInt32) {
    let (before, numbers) = (keys, values)
    slots = HashSlots(capacity: before.count)
    keys = Array(repeating: Self.free, count: slots.count)
    values = Array(repeating: 0, count: slots.count)
    for (old, number) in zip(before + [key], numbers + [value]) where old != Self.free {
      let place = slot(old)
      keys[place] = old
      values[place] = number
    }
  }
}
