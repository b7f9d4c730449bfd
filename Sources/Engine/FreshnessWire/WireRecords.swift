// Written by Scripts/generate-engine-wire from wire.json.

public import Freshness

extension Context: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      question: try reader.number(),
      identity: try reader.number()
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.number(question)
    try writer.number(identity)
  }
}

extension Ticket: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      generation: try reader.number(),
      context: try Context(from: &reader)
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.number(generation)
    try context.write(to: &writer)
  }
}

extension RefreshRequest: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      try reader.numbered(RefreshRequest.Reason.self),
      isForced: try reader.flag(),
      isUnconditional: try reader.flag(),
      showsLoading: try reader.flag()
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.numbered(reason)
    try writer.flag(isForced)
    try writer.flag(isUnconditional)
    try writer.flag(showsLoading)
  }
}

extension Content: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      try reader.revision(),
      validator: try reader.optionalValidator(),
      hasRealtime: try reader.flag(),
      fulfilsAction: try reader.flag()
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.revision(revision)
    try writer.optionalValidator(validator)
    try writer.flag(hasRealtime)
    try writer.flag(fulfilsAction)
  }
}

extension FreshnessMetadata: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init()
    serverTime = try reader.optionalWallTime()
    fetchedAt = try reader.optionalWallTime()
    cacheAge = try reader.optionalToldSpan()
    transit = try reader.toldSpan()
    truncation = try reader.toldSpan()
    mode = try reader.optionalNumbered(ResponseMode.self)
    status = try reader.optionalNumbered(RealtimeStatus.self)
    appliedFlag = try reader.optionalFlag()
    reason = try reader.optionalNumbered(RealtimeStatus.self)
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.optionalWallTime(serverTime)
    try writer.optionalWallTime(fetchedAt)
    try writer.optionalToldSpan(cacheAge)
    try writer.toldSpan(transit)
    try writer.toldSpan(truncation)
    try writer.optionalNumbered(mode)
    try writer.optionalNumbered(status)
    try writer.optionalFlag(appliedFlag)
    try writer.optionalNumbered(reason)
  }
}

extension Hints: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      nextExpectedAt: try reader.optionalWallTime(),
      maxAge: try reader.optionalToldSpan(),
      spread: try reader.optionalToldSpan()
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.optionalWallTime(nextExpectedAt)
    try writer.optionalToldSpan(maxAge)
    try writer.optionalToldSpan(spread)
  }
}

extension Answer: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      try Outcome(from: &reader),
      status: try reader.short(),
      bytes: try reader.bytes(),
      metadata: try FreshnessMetadata(from: &reader),
      hints: try Hints(from: &reader),
      activity: try reader.optionalNumbered(Activity.self),
      deviceTime: try reader.optionalWallTime(),
      delay: try reader.optionalSpan(),
      decoding: try reader.span()
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try outcome.write(to: &writer)
    try writer.short(status)
    try writer.bytes(bytes)
    try metadata.write(to: &writer)
    try hints.write(to: &writer)
    try writer.optionalNumbered(activity)
    try writer.optionalWallTime(deviceTime)
    try writer.optionalSpan(delay)
    try writer.span(decoding)
  }
}

extension Restraint: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      notBefore: try reader.optionalInstant(),
      quietUntil: try reader.optionalInstant(),
      leastInterval: try reader.optionalPositiveSpan(),
      sharedUntil: try reader.optionalInstant()
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.optionalInstant(notBefore)
    try writer.optionalInstant(quietUntil)
    try writer.optionalPositiveSpan(leastInterval)
    try writer.optionalInstant(sharedUntil)
  }
}

extension RateLimit: WireReadable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      remaining: try reader.number(),
      reset: try reader.span()
    )
  }
}

extension Origin.Admission: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.number(number)
    try writer.flag(isHeld)
  }
}

extension Policy.Alignment: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      delay: try reader.span(),
      spread: try reader.span(),
      slack: try reader.span(),
      tolerance: try reader.span()
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.span(delay)
    try writer.span(spread)
    try writer.span(slack)
    try writer.span(tolerance)
  }
}

extension Policy.Push: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      heartbeat: try reader.span(),
      watchdogPercent: try reader.percent(),
      openTimeout: try reader.span(),
      safetyPoll: try reader.span(),
      leastGap: try reader.span(),
      stableAfter: try reader.span()
    )
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.span(heartbeat)
    try writer.percent(watchdogPercent)
    try writer.span(openTimeout)
    try writer.span(safetyPoll)
    try writer.span(leastGap)
    try writer.span(stableAfter)
  }
}

extension Policy: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
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
    ladder = try reader.spans(in: 0...Wire.longestLadder)
    ladderJitter = try Jitter(from: &reader)
    retryAfterCap = try reader.span()
    recheck = try reader.span()
    recheckGone = try reader.span()
    driftFloor = try reader.span()
    driftPercent = try reader.percent()
    stallFloor = try reader.span()
    stallFactor = try reader.factor()
    rescueCooldown = try reader.span()
    unchangedLimit = try reader.optionalCount()
    unchangedFor = try reader.optionalSpan()
    downgradeProtection = try reader.optionalSpan()
    clockTolerance = try reader.span()
    degradedRearm = try reader.span()
    badgePartialAfter = try reader.span()
    badgeUnavailableAfter = try reader.span()
    alignment = try Policy.Alignment.optional(from: &reader)
    longPoll = try reader.optionalSpan()
    push = try Policy.Push.optional(from: &reader)
    prefetches = try reader.flag()
    ringCapacity = try reader.count()
  }

  /// Writes the members in the order of the table.
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
    try writer.count(impatience)
    try writer.span(timeout)
    try writer.optionalSpan(retryDelay)
    try writer.spans(ladder)
    try ladderJitter.write(to: &writer)
    try writer.span(retryAfterCap)
    try writer.span(recheck)
    try writer.span(recheckGone)
    try writer.span(driftFloor)
    try writer.percent(driftPercent)
    try writer.span(stallFloor)
    try writer.factor(stallFactor)
    try writer.span(rescueCooldown)
    try writer.optionalCount(unchangedLimit)
    try writer.optionalSpan(unchangedFor)
    try writer.optionalSpan(downgradeProtection)
    try writer.span(clockTolerance)
    try writer.span(degradedRearm)
    try writer.span(badgePartialAfter)
    try writer.span(badgeUnavailableAfter)
    try Policy.Alignment.write(alignment, to: &writer)
    try writer.optionalSpan(longPoll)
    try Policy.Push.write(push, to: &writer)
    try writer.flag(prefetches)
    try writer.count(ringCapacity)
  }
}

extension Request: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try ticket.write(to: &writer)
    try writer.optionalValidator(validator)
    try writer.optionalSpan(longPoll)
    try writer.span(timeout)
    try writer.numbered(priority)
    try refresh.write(to: &writer)
    try writer.span(cadence)
  }
}

extension Sample: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try ticket.write(to: &writer)
    try writer.instant(startedAt)
    try writer.instant(endedAt)
    try writer.short(status)
    try outcome.write(to: &writer)
    try writer.optionalNumbered(verdict)
    try metadata.write(to: &writer)
    try writer.optionalToldSpan(skew)
    try writer.bytes(bytes)
    try writer.flag(isConditional)
    try writer.flag(isChange)
    try writer.optionalToldSpan(changeToScreen)
    try writer.span(cadence)
  }
}

extension Effects: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try Ticket.write(cancel, to: &writer)
    try writer.numbered(snapshot)
    try writer.optionalInstant(asOf)
    try writer.bits(changes)
    try Request.write(request, to: &writer)
    try writer.optionalNumbered(stream)
    try writer.optionalInstant(alarm)
    try Sample.write(sample, to: &writer)
    try writer.bits(notes)
  }
}

extension Counters: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.number(requests)
    try writer.number(cancelled)
    try writer.number(answers)
    try writer.number(unchanged)
    try writer.clamped(bytes)
    try writer.number(coalesced)
    try writer.number(superseded)
    try writer.number(kept)
    try writer.number(retries)
    try writer.number(rescues)
    try writer.number(measuredChanges)
    try writer.span(changeToScreenTotal)
    try writer.span(changeToScreenLongest)
  }
}

extension Snapshot: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.revision(revision)
    try writer.optionalValidator(validator)
    try writer.flag(hasRealtime)
    try writer.span(ageAtArrival)
    try writer.instant(arrivedAt)
    try writer.flag(hasServerAge)
    try writer.optionalWallTime(sourceTime)
    try writer.numbered(provenance)
    try writer.instant(changedAt)
    try writer.instant(verifiedAt)
  }
}

extension Failure: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.numbered(failure)
    try writer.optionalShort(failureReason)
    try writer.short(failureStatus)
    try writer.instant(failureSince)
  }
}

extension FreshnessLabel: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.numbered(markerKind)
    try writer.optionalNumber(markerReason)
    try writer.numbered(badge)
    try writer.numbered(notice)
    try writer.optionalToldSpan(age)
    try writer.flag(isKept)
    try writer.numbered(provenance)
    try writer.optionalNumbered(unit)
    try writer.optionalNumber(count)
  }
}

extension WireAppearance: WireWritable {
  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.numbered(lifecycle)
    try writer.numbered(connectivity)
    try context.write(to: &writer)
    try writer.optionalInstant(alarm)
    try Snapshot.write(snapshot, to: &writer)
    try Failure.write(failure, to: &writer)
    try writer.flag(isLoading)
    try Ticket.write(outstanding, to: &writer)
    try writer.flag(hasObservers)
    try writer.flag(isStreaming)
    try writer.short(failuresInARow)
    try writer.numbered(pace)
    try label.write(to: &writer)
    try writer.numbered(nextCause)
    try writer.optionalInstant(nextDue)
  }
}
