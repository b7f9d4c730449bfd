import Freshness
import FreshnessWire

// The exports of the WebAssembly module, besides its memory. Messages use one buffer: the host
// writes words into it, passes their number, and finds the result in the same place.
//
// Each function returns a number of words, a handle, or a negative `WireError.Code`. After an error
// `freshness_error_position` returns the index of the word; no machine has changed.

/// The state shared by the exports; the module has one thread.
private enum Shared {
  nonisolated(unsafe) static var slots = MachineSlots()
  nonisolated(unsafe) static var origins = OriginHandles()
  nonisolated(unsafe) static var errorPosition: Int32 = 0
  nonisolated(unsafe) static let buffer =
    UnsafeMutablePointer<Int64>.allocate(capacity: Wire.longestMessage)

  /// Runs the body of an export and converts its error to a number.
  static func answer(_ body: () throws(WireError) -> Int32) -> Int32 {
    do throws(WireError) {
      return try body()
    } catch {
      errorPosition = error.position
      return -error.code.rawValue
    }
  }

  /// Returns the message of the host.
  static func message(_ count: Int32) throws(WireError) -> UnsafeBufferPointer<Int64> {
    guard (0...Int32(Wire.longestMessage)).contains(count) else { throw WireError(.noRoom, at: 0) }
    return UnsafeBufferPointer(start: buffer, count: Int(count))
  }

  /// The buffer for the result.
  static var output: UnsafeMutableBufferPointer<Int64> {
    UnsafeMutableBufferPointer(start: buffer, count: Wire.longestMessage)
  }
}

/// Returns whether blocks of this total size can be allocated (`allocator.c`).
@_extern(c, "freshness_memory_reserve")
func freshnessMemoryReserve(_ size: UInt) -> Int32

/// Returns the version of the wire form.
@c(freshness_wire_version)
public func wireVersion() -> Int32 { Wire.version }

/// Returns the address of the buffer.
@c(freshness_buffer)
public func buffer() -> UnsafeMutablePointer<Int64> { Shared.buffer }

/// Returns the capacity of the buffer in words.
@c(freshness_buffer_capacity)
public func bufferCapacity() -> Int32 { Int32(Wire.longestMessage) }

/// Returns the index of the word that caused the last error.
@c(freshness_error_position)
public func errorPosition() -> Int32 { Shared.errorPosition }

/// Returns the number of machines.
@c(freshness_machines)
public func machines() -> Int32 { Shared.slots.count }

/// Takes the number of a preset and writes the words of its policy.
@c(freshness_preset)
public func preset(_ count: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    try WirePreset.policy(try Shared.message(count), into: Shared.output)
  }
}

/// Takes context and policy, returns the handle of a new machine.
@c(freshness_create)
public func create(_ count: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in try Shared.slots.create(try Shared.message(count)) }
}

/// Removes a machine; returns 0.
@c(freshness_destroy)
public func destroy(_ handle: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    try Shared.slots.destroy(handle)
    return 0
  }
}

/// Takes an instant, a random sample and an event, and writes the effects.
@c(freshness_handle)
public func handle(_ handle: Int32, _ count: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    let message = try Shared.message(count)
    return try Shared.slots.use(handle) { (machine) throws(WireError) in
      try machine.handle(message, into: Shared.output)
    }
  }
}

/// Takes an instant and writes the visible state of a machine.
@c(freshness_appearance)
public func appearance(_ handle: Int32, _ count: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    let message = try Shared.message(count)
    return try Shared.slots.use(handle) { (machine) throws(WireError) in
      try machine.appearance(message, into: Shared.output)
    }
  }
}

/// Takes an instant and writes the label.
@c(freshness_label)
public func label(_ handle: Int32, _ count: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    let message = try Shared.message(count)
    return try Shared.slots.use(handle) { (machine) throws(WireError) in
      try machine.label(message, into: Shared.output)
    }
  }
}

/// Writes the words of a machine's policy.
@c(freshness_policy)
public func policy(_ handle: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    try Shared.slots.use(handle) { (machine) throws(WireError) in
      try machine.machine.policy.write(into: Shared.output)
    }
  }
}

/// Writes a machine's counters.
@c(freshness_counters)
public func counters(_ handle: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    try Shared.slots.use(handle) { (machine) throws(WireError) in
      try machine.counters.write(into: Shared.output)
    }
  }
}

/// Takes a policy, returns the handle of a new origin (R39).
@c(freshness_origin_create)
public func createOrigin(_ count: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in try Shared.origins.create(try Shared.message(count)) }
}

/// Removes an origin; returns 0.
@c(freshness_origin_destroy)
public func destroyOrigin(_ handle: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    try Shared.origins.destroy(handle)
    return 0
  }
}

/// Takes an event of a request, and writes the restraint and the requests to send now.
@c(freshness_origin_handle)
public func handleOrigin(_ handle: Int32, _ count: Int32) -> Int32 {
  Shared.answer { () throws(WireError) in
    let message = try Shared.message(count)
    return try Shared.origins.use(handle) { (origin) throws(WireError) in
      try origin.handle(message, into: Shared.output)
    }
  }
}
