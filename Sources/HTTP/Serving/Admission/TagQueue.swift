/// Requests by their tags, and among equal ones in the order in which they came: a binary heap.
struct TagQueue: Sendable {
  private struct Entry {
    var tag: Double
    var order: UInt64
    var requestID: UInt64

    static func < (left: Entry, right: Entry) -> Bool {
      (left.tag, left.order) < (right.tag, right.order)
    }
  }

  private var entries: [Entry] = []
  private var inserted: UInt64 = 0
  /// How many entries are of no use any more.
  private var abandoned = 0

  /// How many entries there are, with those of no use.
  var count: Int { entries.count }

  /// Inserts a request.
  mutating func insert(_ requestID: UInt64, _ tag: Double) {
    inserted += 1
    entries.append(Entry(tag: tag, order: inserted, requestID: requestID))
    var place = entries.count - 1
    while place > 0, entries[place] < entries[(place - 1) / 2] {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes and returns the request with the least tag.
  mutating func popFirst() -> UInt64? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      sink()
    }
    return first.requestID
  }

  /// Notes that a request no longer waits, and removes such requests when they are the majority.
  ///
  /// - Parameters:
  ///   - requestID: The request.
  ///   - wanted: Those that are still wanted.
  mutating func isAbandoned<Value>(_ requestID: UInt64, left wanted: [UInt64: Value]) {
    abandoned += 1
    guard abandoned > 32, 2 * abandoned > entries.count else { return }
    abandoned = 0
    let kept = entries.filter { wanted[$0.requestID] != nil }.sorted(by: <)
    // A sorted array is a heap.
    entries = kept
  }

  private mutating func sink() {
    var place = 0
    while true {
      let left = 2 * place + 1
      guard left < entries.count else { return }
      let right = left + 1
      let least = right < entries.count && entries[right] < entries[left] ? right : left
      guard entries[least] < entries[place] else { return }
      entries.swapAt(place, least)
      place = least
    }
  }
}
