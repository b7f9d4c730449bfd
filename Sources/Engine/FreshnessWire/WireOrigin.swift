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

  /// Handles a message: the kind, the number of a request or a stream, the instant, and its values.
  ///
  /// - `asks`: priority, whether it is a long poll; once more, to raise its priority.
  /// - `ended`: outcome, server time, an optional rate limit (remaining, reset), the number of
  ///   resources.
  /// - `withdrew`: nothing.
  /// - `opens`: nothing; of an event stream.
  ///
  /// Writes the restraint, the number of requests to send and streams to open now, and of each its
  /// number and whether the server may hold it. A stream that is not among them may not be opened. Then the number of
  /// requests that waited and that the restraint delays, and their numbers, as many as the buffer takes:
  /// ``Origin/takeBack(at:most:)``. While there are any, the host sends another message, such as `withdrew` of the number 0.
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
    let kind = try reader.numbered(OriginEventKind.self)
    let number = try reader.number()
    let now = try reader.instant()
    switch kind {
    case .asks:
      guard next.queue < Wire.longestQueue || next.isWaiting(number) else {
        throw WireError(.noRoom, at: 0)
      }
      let priority = try reader.numbered(Request.Priority.self)
      next.ask(number, priority: priority, isLongPoll: try reader.flag())
    case .ended:
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
    case .withdrew: next.withdraw(number)
    case .opens:
      if next.open(number) { admitted.append(Origin.Admission(number: number, isHeld: true)) }
    }
    try reader.end()
    while let admission = next.admit(at: now) { admitted.append(admission) }
    var writer = WireWriter(buffer)
    try next.restraint.write(to: &writer)
    try writer.number(Int64(admitted.count))
    for admission in admitted { try admission.write(to: &writer) }
    // One word for their number.
    let delayed = next.takeBack(at: now, most: max(buffer.count - writer.count - 1, 0))
    try writer.number(Int64(delayed.count))
    for number in delayed { try writer.number(number) }
    origin = next
    return Int32(writer.count)
  }
}
