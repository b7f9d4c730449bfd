// The exports of the WebAssembly module, besides its memory. An instance has one machine. Messages use one buffer: the
// host writes words into it, passes their number, and finds the result in the same place.
//
// Each function returns a number of words or a negative `WordError.Code`. After an error `jobs_error_position` returns
// the index of the word; the machine has not changed.

/// The state of the instance, which has one thread.
private enum Shared {
  nonisolated(unsafe) static var machine: FollowMachine?
  nonisolated(unsafe) static var errorPosition: Int32 = 0
  nonisolated(unsafe) static let buffer =
    UnsafeMutablePointer<Int64>.allocate(capacity: FollowWire.longestMessage)
  /// The memory to reserve before a message is handled: its messages and orders, and as much again while the lists grow.
  static let headroom: UInt = 1 << 19

  /// Runs the body of an export and converts its error to a number.
  static func answer(_ body: () throws(WordError) -> Int) -> Int32 {
    do throws(WordError) {
      // A failed allocation in Swift ends the module, so memory is requested beforehand.
      guard reserveMemory(headroom) == 1 else { throw WordError(code: .outOfMemory, position: 0) }
      return Int32(truncatingIfNeeded: try body())
    } catch {
      errorPosition = error.position
      return -error.code.rawValue
    }
  }

  /// Reads the message of the host.
  static func message<Value: WordReadable>(
    _ count: Int32,
    _: Value.Type
  ) throws(WordError) -> Value {
    guard (0...Int32(FollowWire.longestMessage)).contains(count) else {
      throw WordError(code: .noRoom, position: 0)
    }
    var words = WordReader(UnsafeBufferPointer(start: buffer, count: Int(count)))
    let value = try Value(&words)
    try words.end()
    return value
  }

  /// A writer for the result.
  static var writer: WordWriter {
    WordWriter(UnsafeMutableBufferPointer(start: buffer, count: FollowWire.longestMessage))
  }
}

/// Returns whether blocks of this total size can be allocated (`allocator.c`).
@_extern(c, "freshness_memory_reserve")
func reserveMemory(_ size: UInt) -> Int32

/// What the host reports to the machine.
struct FollowStep {
  var now: Int64
  var random: UInt64
  var event: FollowMachine.Event
}

/// What the machine answers.
struct FollowOrders {
  var orders: [FollowMachine.Order]
}

extension FollowMachine.Policy {
  init(
    backoff: [Int64],
    failuresBeforeFallback: Int,
    retryBestAfter: Int64,
    pollInterval: Int64,
    tokenMargin: Int64,
    silence: Int64,
    longestReconnection: Int64,
    attemptsBeforeSkipping: Int
  ) {
    self.init()
    self.backoff = backoff
    self.failuresBeforeFallback = failuresBeforeFallback
    self.retryBestAfter = retryBestAfter
    self.pollInterval = pollInterval
    self.tokenMargin = tokenMargin
    self.silence = silence
    self.longestReconnection = longestReconnection
    self.attemptsBeforeSkipping = attemptsBeforeSkipping
  }
}

/// Returns the version of the wire form.
@c(jobs_wire_version)
public func wireVersion() -> Int32 { FollowWire.version }

/// Returns the address of the buffer.
@c(jobs_buffer)
public func buffer() -> UnsafeMutablePointer<Int64> { Shared.buffer }

/// Returns the capacity of the buffer in words.
@c(jobs_buffer_capacity)
public func bufferCapacity() -> Int32 { Int32(FollowWire.longestMessage) }

/// Returns the index of the word that caused the last error.
@c(jobs_error_position)
public func errorPosition() -> Int32 { Shared.errorPosition }

/// Writes the usual policy.
@c(jobs_policy)
public func policy() -> Int32 {
  Shared.answer { () throws(WordError) in
    var words = Shared.writer
    try FollowMachine.Policy().write(to: &words)
    return words.written
  }
}

/// Takes policy, position, the end of the token and the best transport; the machine of the instance is a new one.
@c(jobs_create)
public func create(_ count: Int32) -> Int32 {
  Shared.answer { () throws(WordError) in
    Shared.machine = try Shared.message(count, FollowMachine.self)
    return 0
  }
}

/// Takes an instant, random bits and an event, and writes the orders.
@c(jobs_handle)
public func handle(_ count: Int32) -> Int32 {
  Shared.answer { () throws(WordError) in
    guard var machine = Shared.machine else {
      throw WordError(code: .noSuchMachine, position: 0)
    }
    let step = try Shared.message(count, FollowStep.self)
    let orders = machine.handle(step.event, now: step.now, random: step.random)
    var words = Shared.writer
    try FollowOrders(orders: orders).write(to: &words)
    Shared.machine = machine
    return words.written
  }
}

/// Writes what is visible of the machine.
@c(jobs_status)
public func status() -> Int32 {
  Shared.answer { () throws(WordError) in
    guard let machine = Shared.machine else { throw WordError(code: .noSuchMachine, position: 0) }
    var words = Shared.writer
    try machine.status.write(to: &words)
    return words.written
  }
}
