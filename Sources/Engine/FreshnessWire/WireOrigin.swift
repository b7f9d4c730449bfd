public import Freshness

/// An origin that takes and returns messages: what the WebAssembly build exports, as a value (R39).
public struct WireOrigin: Hashable, Sendable {
  /// The origin.
  public private(set) var origin: Origin

  /// Creates an origin without any history, with the constants of a policy.
  ///
  /// The message is the policy.
  ///
  /// - Throws: ``WireError`` if the message is not valid.
  public init(_ words: UnsafeBufferPointer<Int64>) throws(WireError) {
    var reader = WireReader(words)
    let limits = Origin.Limits(policy: try Policy(from: &reader))
    try reader.end()
    origin = Origin(limits: limits)
  }

  /// Handles a message: the kind, and its values.
  ///
  /// - `asks`: number, priority, whether it is a long poll; once more, to raise its priority.
  /// - `ended`: number, instant, outcome, server time, an optional rate limit (remaining, reset),
  ///   the number of resources.
  /// - `withdrew`: number.
  /// - `opens`: number, of an event stream.
  ///
  /// Writes the restraint, the number of requests to send and streams to open now, and of each its
  /// number and whether the server may hold it. A stream that is not among them may not be opened.
  ///
  /// - Returns: The number of words written.
  /// - Throws: ``WireError`` if the message is not valid; nothing has changed then.
  public mutating func handle(
    _ words: UnsafeBufferPointer<Int64>,
    into buffer: UnsafeMutableBufferPointer<Int64>
  ) throws(WireError) -> Int32 {
    var next = origin
    var reader = WireReader(words)
    var admitted: [Origin.Admission] = []
    switch try reader.numbered(OriginEventKind.self) {
    case .asks:
      let number = try reader.identifier()
      guard next.queue < Wire.longestQueue else { throw WireError(.noRoom, at: 0) }
      let priority = try reader.numbered(Request.Priority.self)
      next.ask(number, priority: priority, isLongPoll: try reader.flag())
    case .ended:
      let number = try reader.identifier()
      let now = try reader.moment()
      let outcome = try Outcome(from: &reader)
      let serverTime = try reader.optionalWallTime()
      let rateLimit = try RateLimit.optional(from: &reader)
      let resources = try reader.count()
      next.ended(
        number,
        outcome,
        serverTime: serverTime,
        rateLimit: rateLimit,
        resources: resources,
        at: now
      )
    case .withdrew: next.withdraw(try reader.identifier())
    case .opens:
      let number = try reader.identifier()
      if next.open(number) { admitted.append(Origin.Admission(number: number, isHeld: true)) }
    }
    try reader.end()
    while let admission = next.admit() { admitted.append(admission) }
    var writer = WireWriter(buffer)
    try next.restraint.write(to: &writer)
    try writer.integer(Int64(admitted.count))
    for admission in admitted {
      try writer.integer(admission.number)
      try writer.flag(admission.isHeld)
    }
    origin = next
    return Int32(writer.count)
  }
}

extension RateLimit: WireReadable {
  /// Reads the remaining requests and the time until the limit resets.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(remaining: try reader.identifier(), reset: try reader.span())
  }
}
