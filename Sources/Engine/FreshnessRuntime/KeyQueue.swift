import Freshness

/// A first-in, first-out queue of resources, each with a number.
struct KeyQueue: Sendable {
  private var items: [(key: MachineSchedule.Key, number: Int64)] = []
  private var head = 0

  /// The number of items.
  var count: Int { items.count - head }

  /// Adds an item at the end.
  mutating func append(_ item: (key: MachineSchedule.Key, number: Int64)) { items.append(item) }

  /// Removes the first item; the queue must not be empty.
  mutating func removeFirst() -> (key: MachineSchedule.Key, number: Int64) {
    let first = items[head]
    head += 1
    // Removed items are discarded once they are half of the storage.
    if head > 64, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Removes items.
  mutating func removeAll(where isOver: (MachineSchedule.Key, Int64) -> Bool) {
    items.removeFirst(head)
    head = 0
    items.removeAll { isOver($0.key, $0.number) }
  }
}
