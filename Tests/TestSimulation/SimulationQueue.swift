import Hashing

/// What is to happen in a simulation, by time, and in the order in which it was added.
package struct SimulationQueue {
  private typealias Entry = (at: Int64, number: Int, run: () -> Void)

  private var entries: [Entry] = []
  private var number = 0

  /// Creates an empty queue.
  package init() {}

  /// Adds something that is to happen at a time.
  package mutating func add(at: Int64, _ run: @escaping () -> Void) {
    number += 1
    var place = entries.count
    entries.append((at, number, run))
    while place > 0, isBefore(entries[place], entries[(place - 1) / 2]) {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes out what happens next.
  package mutating func next() -> (at: Int64, run: () -> Void)? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return (first.at, first.run) }
    entries[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < entries.count && isBefore(entries[child], entries[least]) { least = child }
      if least == place { return (first.at, first.run) }
      entries.swapAt(place, least)
      place = least
    }
  }

  private func isBefore(_ left: Entry, _ right: Entry) -> Bool {
    (left.at, left.number) < (right.at, right.number)
  }
}

/// Random choices that are a function of a seed.
package struct SimulationRandom {
  private var generator: SplitMix64

  /// Creates a generator whose numbers are a function of a seed.
  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// A number between two, both included.
  package mutating func between(_ least: Int64, _ most: Int64) -> Int64 {
    least + Int64(generator.next() % UInt64(most - least + 1))
  }

  /// True once in a number of times.
  package mutating func oneIn(_ count: Int64) -> Bool { between(1, count) == 1 }
}
