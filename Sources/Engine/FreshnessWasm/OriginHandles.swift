import Freshness
import FreshnessWire

/// The origins that the host has created, each with a handle that is never reused (R39).
struct OriginHandles {
  /// The memory to reserve before an allocation: a queue of the maximum length, with as many places before it, that grows to
  /// twice its size, and a copy of it.
  private static let headroom = 8 * 16 * Wire.longestQueue

  private var origins: [(handle: Int32, origin: WireOrigin)] = []
  private var lastHandle: Int32 = 0

  /// Creates an origin and returns its handle: takes what ``WireOrigin`` reads.
  mutating func create(_ words: UnsafeBufferPointer<Int64>) throws(WireError) -> Int32 {
    let origin = try WireOrigin(words)
    guard origins.count < Origin.mostRemembered, lastHandle < Int32.max else {
      throw WireError(.tooManyMachines, at: 0)
    }
    try reserve()
    lastHandle += 1
    origins.append((lastHandle, origin))
    return lastHandle
  }

  /// Removes an origin.
  mutating func destroy(_ handle: Int32) throws(WireError) {
    origins.remove(at: try find(handle))
  }

  /// Passes an origin to a body that may change it.
  mutating func use(
    _ handle: Int32,
    _ body: (inout WireOrigin) throws(WireError) -> Int32
  ) throws(WireError) -> Int32 {
    let index = try find(handle)
    try reserve()
    return try body(&origins[index].origin)
  }

  private func find(_ handle: Int32) throws(WireError) -> Int {
    guard let index = origins.firstIndex(where: { $0.handle == handle }) else {
      throw WireError(.noSuchMachine, at: 0)
    }
    return index
  }

  private func reserve() throws(WireError) {
    guard freshnessMemoryReserve(UInt(Self.headroom)) == 1 else {
      throw WireError(.outOfMemory, at: 0)
    }
  }
}
