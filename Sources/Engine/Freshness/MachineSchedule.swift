/// Many machines behind one alarm, so that a process needs a single timer.
///
/// ```swift
/// let key = schedule.insert(RefreshMachine(policy: .workspaces))
/// let effects = schedule.handle(.started, for: key, at: now, random: random)
/// // Sleep until `schedule.alarm`, then drain:
/// while let due = schedule.due(at: now) { schedule.handle(.woke, for: due, at: now, random: random) }
/// ```
public struct MachineSchedule: Hashable, Sendable {
  /// Identifies a machine in its schedule; the key of a removed machine is never reused.
  public struct Key: Hashable, Sendable {
    var slot: Int
    var stamp: Int64
  }

  private struct Slot: Hashable, Sendable {
    var machine: RefreshMachine?
    var stamp: Int64
    /// The position in the heap, or -1 without an alarm.
    var place: Int
  }

  private struct Entry: Hashable, Sendable {
    var alarm: Instant
    var slot: Int
  }

  private var slots: [Slot] = []
  private var vacant: [Int] = []
  /// A binary heap: no entry is later than its two children, and each slot knows its position.
  private var heap: [Entry] = []

  /// Creates an empty schedule.
  public init() {}

  /// The number of machines.
  public var count: Int { slots.count - vacant.count }

  /// The earliest alarm of all machines (R8).
  public var alarm: Instant? { heap.first?.alarm }

  /// The machine with a key, or `nil` if it was removed.
  public subscript(key: Key) -> RefreshMachine? {
    guard slots.indices.contains(key.slot), slots[key.slot].stamp == key.stamp else { return nil }
    return slots[key.slot].machine
  }

  /// Adds a machine.
  public mutating func insert(_ machine: RefreshMachine) -> Key {
    let slot: Int
    if let reused = vacant.popLast() {
      slot = reused
      slots[slot].machine = machine
    } else {
      slot = slots.count
      slots.append(Slot(machine: machine, stamp: 0, place: -1))
    }
    arm(slot, at: machine.alarm)
    return Key(slot: slot, stamp: slots[slot].stamp)
  }

  /// Removes a machine and its alarm.
  ///
  /// - Returns: The machine, or `nil` if it was removed already.
  @discardableResult
  public mutating func remove(_ key: Key) -> RefreshMachine? {
    guard let machine = self[key] else { return nil }
    arm(key.slot, at: nil)
    slots[key.slot].machine = nil
    slots[key.slot].stamp += 1
    vacant.append(key.slot)
    return machine
  }

  /// Passes an event to a machine.
  ///
  /// - Returns: The effects to carry out, or `nil` if the machine was removed.
  public mutating func handle(
    _ event: Event,
    for key: Key,
    at now: Instant,
    random: RandomSample
  ) -> Effects? {
    guard slots.indices.contains(key.slot), slots[key.slot].stamp == key.stamp else { return nil }
    guard let effects = slots[key.slot].machine?.handle(event, at: now, random: random) else {
      return nil
    }
    arm(key.slot, at: effects.alarm)
    return effects
  }

  /// Returns the machine with the earliest alarm that has passed, if any.
  public func due(at now: Instant) -> Key? {
    guard let first = heap.first, first.alarm <= now else { return nil }
    return Key(slot: first.slot, stamp: slots[first.slot].stamp)
  }

  // MARK: The heap

  private mutating func arm(_ slot: Int, at alarm: Instant?) {
    let place = slots[slot].place
    guard let alarm else {
      if place >= 0 { disarm(slot, at: place) }
      return
    }
    if place >= 0 {
      heap[place].alarm = alarm
      sink(raise(place))
    } else {
      heap.append(Entry(alarm: alarm, slot: slot))
      slots[slot].place = heap.count - 1
      _ = raise(heap.count - 1)
    }
  }

  private mutating func disarm(_ slot: Int, at place: Int) {
    slots[slot].place = -1
    let last = heap.removeLast()
    guard place < heap.count else { return }
    heap[place] = last
    slots[last.slot].place = place
    sink(raise(place))
  }

  private mutating func raise(_ start: Int) -> Int {
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard heap[place].alarm < heap[parent].alarm else { break }
      swap(place, parent)
      place = parent
    }
    return place
  }

  private mutating func sink(_ start: Int) {
    var place = start
    while true {
      var least = place
      let left = 2 * place + 1
      if left < heap.count, heap[left].alarm < heap[least].alarm { least = left }
      if left + 1 < heap.count, heap[left + 1].alarm < heap[least].alarm { least = left + 1 }
      guard least != place else { return }
      swap(place, least)
      place = least
    }
  }

  private mutating func swap(_ first: Int, _ second: Int) {
    heap.swapAt(first, second)
    slots[heap[first].slot].place = first
    slots[heap[second].slot].place = second
  }
}
