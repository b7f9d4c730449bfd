import FreshnessWire

/// The machines that the host has created, each in a slot with a handle.
///
/// A handle is `stamp * 65,536 + slot`. The stamp of a slot grows with every machine that is
/// removed from it, so the handle of a removed machine never refers to another one. A slot whose
/// stamps are used up stays empty.
struct MachineSlots {
  /// The maximum number of machines at a time; sixteen bits must be able to identify their slots.
  static let most = 40_000
  /// The greatest stamp, so that handles stay positive.
  private static let lastStamp: Int32 = 32_767
  /// The memory to reserve before an allocation: a machine, its policy with a full ladder, and
  /// copies of both.
  private static let headroom = 8_192

  /// One machine, allocated separately so that it is never moved or copied.
  private final class Occupant {
    var machine: WireMachine
    init(_ machine: WireMachine) { self.machine = machine }
  }

  private struct Slot {
    var occupant: Occupant?
    var stamp: Int32 = 0
    /// The next vacant slot, counted from 1; 0 at the end.
    var nextVacant: Int32 = 0
  }

  private var slots: [Slot] = []
  /// The first vacant slot, counted from 1; 0 if all are occupied.
  ///
  /// The list runs through the slots themselves, so removing a machine needs no memory.
  private var firstVacant: Int32 = 0

  /// The number of machines.
  private(set) var count: Int32 = 0

  /// Ensures that the memory for the following allocations is available.
  ///
  /// A failed allocation in Swift ends the module, so memory is requested beforehand.
  private func reserve(_ size: Int) throws(WireError) {
    guard freshnessMemoryReserve(UInt(size)) == 1 else { throw WireError(.outOfMemory, at: 0) }
  }

  /// Creates a machine from its message and returns its handle.
  mutating func create(_ words: UnsafeBufferPointer<Int64>) throws(WireError) -> Int32 {
    if firstVacant == 0, slots.count == Self.most { throw WireError(.tooManyMachines, at: 0) }
    // The array of slots grows by allocating one of twice the size beside the old one; reusing a
    // vacant slot does not. One reserve is kept back, so that machines still work when no more can
    // be created.
    let growth = firstVacant == 0 ? 2 * MemoryLayout<Slot>.stride * slots.count : 0
    try reserve(2 * Self.headroom + growth)
    let occupant = Occupant(try WireMachine(words))
    if firstVacant == 0 {
      slots.append(Slot())
      firstVacant = Int32(slots.count)
    }
    let number = firstVacant
    let index = Int(number) - 1
    firstVacant = slots[index].nextVacant
    slots[index].occupant = occupant
    count += 1
    return slots[index].stamp << 16 | number
  }

  /// Removes a machine; needs no memory.
  mutating func destroy(_ handle: Int32) throws(WireError) {
    let index = try find(handle)
    slots[index].occupant = nil
    count -= 1
    guard slots[index].stamp < Self.lastStamp else { return }
    slots[index].stamp += 1
    slots[index].nextVacant = firstVacant
    firstVacant = Int32(index) + 1
  }

  private func find(_ handle: Int32) throws(WireError) -> Int {
    let index = Int(handle & 0xffff) - 1
    guard handle > 0, slots.indices.contains(index), slots[index].occupant != nil,
      slots[index].stamp == handle >> 16
    else { throw WireError(.noSuchMachine, at: 0) }
    return index
  }

  /// Passes a machine to a body that may change it.
  func use(
    _ handle: Int32,
    _ body: (inout WireMachine) throws(WireError) -> Int32
  ) throws(WireError) -> Int32 {
    guard let occupant = slots[try find(handle)].occupant else {
      throw WireError(.noSuchMachine, at: 0)
    }
    try reserve(Self.headroom)
    return try body(&occupant.machine)
  }
}
