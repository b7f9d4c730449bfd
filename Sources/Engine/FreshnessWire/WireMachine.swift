public import Freshness

/// A machine that takes and returns messages: what the WebAssembly build exports, as a value.
///
/// It also keeps the counters of its machine. The host keeps the ring of samples: every sample is
/// part of the effects.
public struct WireMachine: Hashable, Sendable {
  /// The machine.
  public private(set) var machine: RefreshMachine
  private var diagnostics: Diagnostics

  /// Creates a machine without observers.
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

  /// The totals over the life of the machine (R30).
  public var counters: Counters { diagnostics.counters }

  /// Handles an event: reads an instant, a random sample and an event, and writes the effects.
  ///
  /// The buffers may be the same memory: everything is read before anything is written.
  ///
  /// - Returns: The number of words written.
  /// - Throws: ``WireError`` if the message is not valid; the machine has not handled the event
  ///   then.
  public mutating func handle(
    _ words: UnsafeBufferPointer<Int64>,
    into buffer: UnsafeMutableBufferPointer<Int64>
  ) throws(WireError) -> Int32 {
    var reader = WireReader(words)
    let now = try reader.instant()
    let random = try reader.randomSample()
    let event = try Event(from: &reader)
    try reader.end()
    guard buffer.count >= Wire.longestMessage else { throw WireError(.noRoom, at: 0) }
    let effects = machine.handle(event, at: now, random: random)
    diagnostics.record(effects)
    var writer = WireWriter(buffer)
    try effects.write(to: &writer)
    return Int32(writer.count)
  }

  /// Writes the visible state of the machine at an instant, which is the message.
  ///
  /// - Returns: The number of words written.
  public func appearance(
    _ words: UnsafeBufferPointer<Int64>,
    into buffer: UnsafeMutableBufferPointer<Int64>
  ) throws(WireError) -> Int32 {
    var reader = WireReader(words)
    let now = try reader.instant()
    try reader.end()
    var writer = WireWriter(buffer)
    try WireAppearance(machine: machine, now: now).write(to: &writer)
    return Int32(writer.count)
  }

  /// Writes how fresh the current copy is at an instant, which is the message.
  ///
  /// - Returns: The number of words written.
  public func label(
    _ words: UnsafeBufferPointer<Int64>,
    into buffer: UnsafeMutableBufferPointer<Int64>
  ) throws(WireError) -> Int32 {
    var reader = WireReader(words)
    let now = try reader.instant()
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

  /// Handles an event: an instant, a random sample, an event.
  ///
  /// - Returns: The effects.
  /// - Throws: ``WireError`` if the message is not valid; the machine has not handled the event
  ///   then.
  public mutating func handle(_ words: [Int64]) throws(WireError) -> [Int64] {
    try Self.exchange(words) { (input, output) throws(WireError) in
      try handle(input, into: output)
    }
  }

  /// Returns the visible state of the machine at an instant.
  public func appearance(_ words: [Int64]) throws(WireError) -> [Int64] {
    try Self.exchange(words) { (input, output) throws(WireError) in
      try appearance(input, into: output)
    }
  }

  /// Returns how fresh the current copy is at an instant.
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
