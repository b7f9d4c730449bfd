public import Freshness

extension Policy: WireReadable, WireWritable {
  /// Reads every field in the order of its declaration.
  ///
  /// A jitter is its kind and its values, the ladder is a list, `alignment` and `push` are optional
  /// records. Lengths must not be negative, shares must be percentages.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(every: try reader.span())
    recent = try reader.span()
    recentFor = try reader.span()
    idle = try reader.span()
    background = try reader.optionalSpan()
    jitter = try Jitter(from: &reader)
    leastInterval = try reader.span()
    leastWait = try reader.span()
    burst = try reader.span()
    spread = try reader.span()
    focusDebounce = try reader.span()
    impatience = try reader.count()
    timeout = try reader.span()
    retryDelay = try reader.optionalSpan()
    ladder = try Self.ladder(from: &reader)
    ladderJitter = try Jitter(from: &reader)
    retryAfterCap = try reader.span()
    recheck = try reader.span()
    recheckGone = try reader.span()
    driftFloor = try reader.span()
    driftPercent = try reader.integer(in: 0...Wire.mostPercent)
    stallFloor = try reader.span()
    stallFactor = try reader.integer(in: 0...Wire.limit)
    rescueCooldown = try reader.span()
    unchangedLimit = try reader.optional(in: 0...Int64(Int32.max)).map {
      Int32(truncatingIfNeeded: $0)
    }
    unchangedFor = try reader.optionalSpan()
    holdCap = try reader.optionalSpan()
    clockTolerance = try reader.span()
    degradedRearm = try reader.span()
    badgePartialAfter = try reader.span()
    badgeUnavailableAfter = try reader.span()
    alignment = try Alignment.optional(from: &reader)
    longPoll = try reader.optionalSpan()
    push = try Push.optional(from: &reader)
    prefetches = try reader.flag()
    ringCapacity = try reader.count()
  }

  private static func ladder(from reader: inout WireReader) throws(WireError) -> [Instant.Duration]
  {
    let count = try reader.integer(in: 0...Wire.longestLadder)
    var ladder: [Instant.Duration] = []
    ladder.reserveCapacity(Int(count))
    for _ in 0..<count { ladder.append(try reader.span()) }
    return ladder
  }

  /// Writes every field in the order of its declaration.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.span(active)
    try writer.span(recent)
    try writer.span(recentFor)
    try writer.span(idle)
    try writer.optionalSpan(background)
    try jitter.write(to: &writer)
    try writer.span(leastInterval)
    try writer.span(leastWait)
    try writer.span(burst)
    try writer.span(spread)
    try writer.span(focusDebounce)
    try writer.integer(Int64(impatience))
    try writer.span(timeout)
    try writer.optionalSpan(retryDelay)
    try writer.integer(Int64(ladder.count))
    for step in ladder { try writer.span(step) }
    try ladderJitter.write(to: &writer)
    try writer.span(retryAfterCap)
    try writer.span(recheck)
    try writer.span(recheckGone)
    try writer.span(driftFloor)
    try writer.integer(driftPercent)
    try writer.span(stallFloor)
    try writer.integer(stallFactor)
    try writer.span(rescueCooldown)
    try writer.optional(unchangedLimit.map { Int64($0) })
    try writer.optionalSpan(unchangedFor)
    try writer.optionalSpan(holdCap)
    try writer.span(clockTolerance)
    try writer.span(degradedRearm)
    try writer.span(badgePartialAfter)
    try writer.span(badgeUnavailableAfter)
    try Alignment.write(alignment, to: &writer)
    try writer.optionalSpan(longPoll)
    try Push.write(push, to: &writer)
    try writer.flag(prefetches)
    try writer.integer(Int64(ringCapacity))
  }
}

extension Policy.Alignment: WireReadable, WireWritable {
  /// Reads delay, spread, slack and tolerance.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      delay: try reader.span(),
      spread: try reader.span(),
      slack: try reader.span(),
      tolerance: try reader.span()
    )
  }

  /// Writes delay, spread, slack and tolerance.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.span(delay)
    try writer.span(spread)
    try writer.span(slack)
    try writer.span(tolerance)
  }
}

extension Policy.Push: WireReadable, WireWritable {
  /// Reads every field in the order of its declaration.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      heartbeat: try reader.span(),
      watchdogPercent: try reader.integer(in: 0...Wire.mostPercent),
      openTimeout: try reader.span(),
      safetyPoll: try reader.span(),
      leastGap: try reader.span(),
      stableAfter: try reader.span()
    )
  }

  /// Writes every field in the order of its declaration.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.span(heartbeat)
    try writer.integer(watchdogPercent)
    try writer.span(openTimeout)
    try writer.span(safetyPoll)
    try writer.span(leastGap)
    try writer.span(stableAfter)
  }
}

extension Jitter: WireReadable, WireWritable {
  /// Reads the kind and its values: two lengths, a length, or a share in percent.
  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.numbered(JitterKind.self) {
    case .none: self = .none
    case .signed: self = .signed(try reader.span(), try reader.span())
    case .within: self = .within(try reader.span())
    case .share: self = .share(try reader.integer(in: 0...Wire.mostPercent))
    case .above: self = .above(try reader.integer(in: 0...Wire.mostPercent))
    case .full: self = .full
    }
  }

  /// Writes the kind and its values.
  public func write(to writer: inout WireWriter) throws(WireError) {
    switch self {
    case .none: try writer.numbered(JitterKind.none)
    case .signed(let least, let most):
      try writer.numbered(JitterKind.signed)
      try writer.span(least)
      try writer.span(most)
    case .within(let bound):
      try writer.numbered(JitterKind.within)
      try writer.span(bound)
    case .share(let share):
      try writer.numbered(JitterKind.share)
      try writer.integer(share)
    case .above(let share):
      try writer.numbered(JitterKind.above)
      try writer.integer(share)
    case .full: try writer.numbered(JitterKind.full)
    }
  }
}
