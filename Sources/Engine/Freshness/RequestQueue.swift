/// The requests of one origin that wait to be sent: those of a higher priority first, then in the order of their numbers.
///
/// Adding a request with the greatest number, finding one and removing the first take a time that does not grow with the queue, or
/// with its logarithm: thousands wait after an outage.
struct RequestQueue: Hashable, Sendable {
  /// A request that waits.
  struct Entry: Hashable, Sendable {
    var number: Int64
    var priority: Request.Priority
    var isLongPoll: Bool

    /// Returns whether this request is sent before one with a number and a priority.
    fileprivate func precedes(_ number: Int64, _ priority: Request.Priority) -> Bool {
      self.priority == priority
        ? self.number < number : self.priority.rawValue > priority.rawValue
    }
  }

  /// The requests in order, after those that were removed at the front.
  private var entries: [Entry] = []
  /// How many at the front were removed; at most half of them.
  private var removed = 0

  /// The number of requests.
  var count: Int { entries.count - removed }

  /// The request to send next.
  var first: Entry? { removed < entries.count ? entries[removed] : nil }

  /// Adds a request, unless its number waits already; that one gets the priority if it is higher.
  @inline(never)
  mutating func add(_ number: Int64, priority: Request.Priority, isLongPoll: Bool) {
    var isLongPoll = isLongPoll
    if let known = index(of: number) {
      guard entries[known].priority.rawValue < priority.rawValue else { return }
      isLongPoll = entries[known].isLongPoll
      remove(at: known)
    }
    let entry = Entry(number: number, priority: priority, isLongPoll: isLongPoll)
    entries.insert(entry, at: place(of: number, priority))
  }

  /// Returns whether a request waits.
  func contains(_ number: Int64) -> Bool { index(of: number) != nil }

  /// Removes a request, if it waits.
  mutating func remove(_ number: Int64) {
    if let known = index(of: number) { remove(at: known) }
  }

  /// Removes the request to send next; there must be one.
  mutating func removeFirst() { remove(at: removed) }

  /// Removes the first requests that a condition holds for, up to a number, and returns their numbers in order.
  mutating func remove(atMost most: Int, where condition: (Entry) -> Bool) -> [Int64] {
    var numbers: [Int64] = []
    var kept: [Entry] = []
    for entry in entries[removed...] {
      if numbers.count < most, condition(entry) {
        numbers.append(entry.number)
      } else {
        kept.append(entry)
      }
    }
    (entries, removed) = (kept, 0)
    return numbers
  }

  private mutating func remove(at index: Int) {
    guard index == removed else {
      entries.remove(at: index)
      return
    }
    removed += 1
    guard removed * 2 > entries.count else { return }
    entries.removeSubrange(..<removed)
    removed = 0
  }

  private func index(of number: Int64) -> Int? {
    for priority in [Request.Priority.normal, .high, .low] {
      let place = place(of: number, priority)
      if place < entries.count, entries[place].number == number { return place }
    }
    return nil
  }

  /// Returns the index of the first request that is not sent before one with a number and a priority.
  @inline(never)
  private func place(of number: Int64, _ priority: Request.Priority) -> Int {
    var (low, high) = (removed, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].precedes(number, priority) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  static func == (left: Self, right: Self) -> Bool {
    left.entries[left.removed...] == right.entries[right.removed...]
  }

  func hash(into hasher: inout Hasher) { hasher.combine(entries[removed...]) }
}
