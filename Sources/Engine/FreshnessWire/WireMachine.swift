public import Freshness

/// A machine that speaks in words: what the WebAssembly build exports, as a value.
///
/// It keeps the counters of its machine as well. The ring of samples is the host's: every sample
/// leaves with the effects.
public struct WireMachine: Hashable, Sendable {
  /// The machine.
  public private(set) var machine: RefreshMachine
  private var diagnostics: Diagnostics

  /// Creates a machine that nobody watches yet.
  public init(policy: Policy, context: Context) {
    machine = RefreshMachine(policy: policy, context: context)
    var policy = policy
    policy.ringCapacity = 0
    diagnostics = Diagnostics(policy: policy)
  }

  /// Creates a machine from a message: context, policy.
  public init(_ words: UnsafeBufferPointer<Int64>) throws(WireError) {
    var reader = WireReader(words)
    let context = try Context(from: &reader)
    let policy = try Policy(from: &reader)
    try reader.end()
    self.init(policy: policy, context: context)
  }

  /// What the machine did over its life (R30).
  public var counters: Counters { diagnostics.counters }

  /// Hands over an event: moment, draw, event; the effects come out.
  ///
  /// The buffers may be the same memory: nothing is written before everything is read.
  ///
  /// - Returns: The number of words written.
  /// - Throws: What is wrong with the words; the machine has not seen the event then.
  public mutating func handle(
    _ words: UnsafeBufferPointer<Int64>,
    into buffer: UnsafeMutableBufferPointer<Int64>
  ) throws(WireError) -> Int32 {
    var reader = WireReader(words)
    let now = try reader.moment()
    let draw = try reader.draw()
    let event = try Event(from: &reader)
    try reader.end()
    guard buffer.count >= Wire.longestMessage else { throw WireError(.noRoom, at: 0) }
    let effects = machine.handle(event, at: now, draw: draw)
    diagnostics.record(effects)
    var writer = WireWriter(buffer)
    try effects.write(to: &writer)
    return Int32(writer.count)
  }

  /// Looks at everything the machine shows: a message of one moment goes in.
  ///
  /// Writes lifecycle, connectivity, context, alarm, snapshot, failure, is loading, outstanding,
  /// has observers, is streaming, failures in a row, pace, label, the cause of the next request and
  /// its moment. `snapshot`, `failure` and `outstanding` are records that may be missing.
  ///
  /// - Returns: The number of words written.
  public func look(
    _ words: UnsafeBufferPointer<Int64>,
    into buffer: UnsafeMutableBufferPointer<Int64>
  ) throws(WireError) -> Int32 {
    var reader = WireReader(words)
    let now = try reader.moment()
    try reader.end()
    var writer = WireWriter(buffer)
    try writer.numbered(machine.lifecycle)
    try writer.numbered(machine.connectivity)
    try machine.context.write(to: &writer)
    try writer.optionalMoment(machine.alarm)
    try Snapshot.write(machine.snapshot, to: &writer)
    try Failure.write(machine.failure, to: &writer)
    try writer.flag(machine.isLoading)
    try Ticket.write(machine.outstanding, to: &writer)
    try writer.flag(machine.hasObservers)
    try writer.flag(machine.isStreaming)
    try writer.integer(Int64(machine.failuresInARow))
    try writer.numbered(machine.pace(at: now))
    try machine.label(at: now).write(to: &writer)
    let next = machine.nextRequest
    try writer.numbered(next.cause)
    try writer.optionalMoment(next.due)
    return Int32(writer.count)
  }

  /// Says how fresh the copy at hand is: a message of one moment goes in, the label comes out.
  ///
  /// - Returns: The number of words written.
  public func label(
    _ words: UnsafeBufferPointer<Int64>,
    into buffer: UnsafeMutableBufferPointer<Int64>
  ) throws(WireError) -> Int32 {
    var reader = WireReader(words)
    let now = try reader.moment()
    try reader.end()
    var writer = WireWriter(buffer)
    try machine.label(at: now).write(to: &writer)
    return Int32(writer.count)
  }
}

extension WireMachine {
  /// Creates a machine from a message: context, policy.
  public init(words: [Int64]) throws(WireError) {
    self = try words.withUnsafeBufferPointer { (words) throws(WireError) in
      try WireMachine(words)
    }
  }

  /// Hands over an event: moment, draw, event.
  ///
  /// - Returns: The effects.
  /// - Throws: What is wrong with the words; the machine has not seen the event then.
  public mutating func handle(_ words: [Int64]) throws(WireError) -> [Int64] {
    try Self.exchange(words) { (input, output) throws(WireError) in
      try handle(input, into: output)
    }
  }

  /// Looks at everything the machine shows at a moment.
  public func look(_ words: [Int64]) throws(WireError) -> [Int64] {
    try Self.exchange(words) { (input, output) throws(WireError) in try look(input, into: output) }
  }

  /// Says how fresh the copy at hand is at a moment.
  public func label(_ words: [Int64]) throws(WireError) -> [Int64] {
    try Self.exchange(words) { (input, output) throws(WireError) in try label(input, into: output) }
  }

  private static func exchange(
    _ words: [Int64],
    _ body: (
      UnsafeBufferPointer<Int64>, UnsafeMutableBufferPointer<Int64>
    ) throws(WireError) -> Int32
  ) throws(WireError) -> [Int64] {
    var buffer = [Int64](repeating: 0, count: Wire.longestMessage)
    let count = try words.withUnsafeBufferPointer { (input) throws(WireError) in
      try buffer.withUnsafeMutableBufferPointer { (output) throws(WireError) in
        try body(input, output)
      }
    }
    return Array(buffer[..<Int(count)])
  }
}
