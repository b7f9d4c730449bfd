/// Finds the selectors entered for a key: an open hash table over lists, without removal.
struct SelectorTable: Sendable {
  private var keys: [UInt64] = []
  private var ranges: [(first: UInt32, end: UInt32)] = []
  private var values: [UInt32] = []
  private var slots = HashSlots(capacity: 0)
  private static let free = UInt64.max

  /// - Parameter entries: Keys (not the greatest number) and the selectors entered for them.
  init(_ entries: [(key: UInt64, selector: UInt32)]) {
    guard !entries.isEmpty else { return }
    let sorted = entries.sorted { ($0.key, $0.selector) < ($1.key, $1.selector) }
    slots = HashSlots(capacity: sorted.count)
    keys = Array(repeating: Self.free, count: slots.count)
    ranges = Array(repeating: (0, 0), count: slots.count)
    values.reserveCapacity(sorted.count)
    for (place, entry) in sorted.enumerated() {
      if place > 0, sorted[place - 1] == entry { continue }
      let slot = slot(of: entry.key)
      if keys[slot] == Self.free {
        keys[slot] = entry.key
        ranges[slot].first = UInt32(values.count)
      }
      values.append(entry.selector)
      ranges[slot].end = UInt32(values.count)
    }
  }

  /// Whether nothing is entered.
  var isEmpty: Bool { values.isEmpty }

  /// Calls `body` with each selector of a key, in ascending order.
  @inline(__always)
  func forEach(_ key: UInt64, _ body: (UInt32) -> Void) {
    guard !values.isEmpty else { return }
    let slot = slot(of: key)
    guard keys[slot] == key else { return }
    for place in ranges[slot].first..<ranges[slot].end { body(values[Int(place)]) }
  }

  @inline(__always)
  private func slot(of key: UInt64) -> Int {
    var place = slots.first(for: key)
    while keys[place] != Self.free, keys[place] != key { place = slots.next(after: place) }
    return place
  }
}
