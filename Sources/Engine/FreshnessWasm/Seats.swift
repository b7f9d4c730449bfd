import FreshnessWire

/// The machines that the host has created, each in a seat with a handle.
///
/// A handle is `stamp * 65,536 + seat`; the stamp of a seat grows with every machine that leaves it,
/// so that the handle of a machine that is gone never means another one. A seat whose stamps are
/// used up stays empty.
struct Seats {
  /// The most machines at a time; sixteen bits must be able to name their seats.
  static let most = 40_000
  /// The greatest stamp, so that handles stay positive.
  private static let lastStamp: Int32 = 32_767
  /// The memory to have at hand before anything may be allocated: a machine, its policy with a full
  /// ladder, and copies of both.
  private static let headroom = 8_192

  /// One machine, in a place of its own, so that it is never moved or copied.
  private final class Occupant {
    var machine: WireMachine
    init(_ machine: WireMachine) { self.machine = machine }
  }

  private struct Seat {
    var occupant: Occupant?
    var stamp: Int32 = 0
    /// The next vacant seat, counted from 1; 0 at the end.
    var nextVacant: Int32 = 0
  }

  private var seats: [Seat] = []
  /// The first vacant seat, counted from 1; 0 if there is none.
  ///
  /// The list runs through the seats themselves, so that removing a machine needs no memory.
  private var firstVacant: Int32 = 0

  /// The number of machines.
  private(set) var count: Int32 = 0

  /// Makes sure that what follows finds the memory it needs.
  ///
  /// An allocation that fails inside Swift ends the module, so memory is asked for before.
  private func reserve(_ size: Int) throws(WireError) {
    guard freshnessMemoryReserve(UInt(size)) == 1 else { throw WireError(.outOfMemory, at: 0) }
  }

  /// Creates a machine from its message and returns its handle.
  mutating func create(_ words: UnsafeBufferPointer<Int64>) throws(WireError) -> Int32 {
    if firstVacant == 0, seats.count == Self.most { throw WireError(.tooManyMachines, at: 0) }
    // The list of seats grows by taking a new one of twice the size beside the old one; a vacant seat
    // needs no such room. One headroom stays behind, so that machines can be used when no more can be
    // created.
    let growth = firstVacant == 0 ? 2 * MemoryLayout<Seat>.stride * seats.count : 0
    try reserve(2 * Self.headroom + growth)
    let occupant = Occupant(try WireMachine(words))
    if firstVacant == 0 {
      seats.append(Seat())
      firstVacant = Int32(seats.count)
    }
    let number = firstVacant
    let index = Int(number) - 1
    firstVacant = seats[index].nextVacant
    seats[index].occupant = occupant
    count += 1
    return seats[index].stamp << 16 | number
  }

  /// Removes a machine; needs no memory.
  mutating func destroy(_ handle: Int32) throws(WireError) {
    let index = try find(handle)
    seats[index].occupant = nil
    count -= 1
    guard seats[index].stamp < Self.lastStamp else { return }
    seats[index].stamp += 1
    seats[index].nextVacant = firstVacant
    firstVacant = Int32(index) + 1
  }

  private func find(_ handle: Int32) throws(WireError) -> Int {
    let index = Int(handle & 0xffff) - 1
    guard handle > 0, seats.indices.contains(index), seats[index].occupant != nil,
      seats[index].stamp == handle >> 16
    else { throw WireError(.noSuchMachine, at: 0) }
    return index
  }

  /// Hands a machine to a body that may change it.
  func use(
    _ handle: Int32,
    _ body: (inout WireMachine) throws(WireError) -> Int32
  ) throws(WireError) -> Int32 {
    guard let occupant = seats[try find(handle)].occupant else {
      throw WireError(.noSuchMachine, at: 0)
    }
    try reserve(Self.headroom)
    return try body(&occupant.machine)
  }
}
