import Freshness

/// A queue of resources with a number each, first in, first out.
struct KeyQueue: Sendable {
  private var items: [(key: MachineSchedule.Key, number: Int64)] = []
  private var head = 0

  /// The number of items.
  var count: Int { items.count - head }

  /// Adds an item at the end.
  mutating func append(_ item: (key: MachineSchedule.Key, number: Int64)) { items.append(item) }

  /// Takes the first item; there must be one.
  mutating func removeFirst() -> (key: MachineSchedule.Key, number: Int64) {
    let first = items[head]
    head += 1
    // What was taken is let go of once it is half of all.
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
