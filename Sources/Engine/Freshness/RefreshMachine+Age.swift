extension RefreshMachine {
  // MARK: Monotonic reads (R36)

  /// Returns whether a response is an older version than the current copy.
  ///
  /// The server's clock has been noted before.
  func isOlder(
    _ metadata: FreshnessMetadata,
    _ reading: ServerClock.Reading?,
    policy: Policy
  ) -> Bool {
    SourceVersion.isOlder(
      metadata,
      than: snapshot?.floor,
      tolerance: policy.clockTolerance,
      isConfirmed: reading.map { !serverClock.isContradicted(by: $0) } ?? false
    )
  }

  /// Returns whether the stream delivered other content after a request was sent: unless source times order the two, the response
  /// may be older (R33, R36).
  func isOvertaken(_ inFlight: InFlightRequest, by answer: Answer, at now: Instant) -> Bool {
    guard let snapshot, snapshot.provenance == .server else { return false }
    return snapshot.changedAt > sent(inFlight, of: answer, at: now)
  }

  /// Returns when the host sent a request: it may have waited for the origin (R39).
  func sent(_ inFlight: InFlightRequest, of answer: Answer, at now: Instant) -> Instant {
    let taken = answer.delay.map { max($0, .zero) + max(answer.decoding, .zero) }
    return taken.map { max(now - $0, inFlight.startedAt) } ?? inFlight.startedAt
  }

  /// Returns whether the source times of the copy and of a response show which of the two is newer.
  func isOrdered(_ metadata: FreshnessMetadata) -> Bool {
    guard let copy = snapshot?.sourceTime, let made = metadata.fetchedAt else { return false }
    return copy != made
  }

  /// Returns whether a response that the server made at an instant or later, or at an unknown one, may not show the
  /// application's write (R38).
  func isBeforeWrite(_ asOf: Instant?) -> Bool {
    guard let snapshot, snapshot.provenance == .local else { return false }
    return asOf.map { $0 < snapshot.changedAt } ?? true
  }

  /// Returns the earliest instant at which the server can have made a response (R38).
  ///
  /// If no cache held the response, it was made after its request was sent. Otherwise, the server's clock decides, or the
  /// `Age` of the cache. A stream that shows no clock is late by less than the silence at which it counts as lost (R33).
  @inline(never)
  func earliest(
    _ answer: Answer,
    _ reading: ServerClock.Reading?,
    isRequest: Bool,
    in step: Step
  ) -> Instant? {
    let shown =
      serverClock.isOpen ? nil : hiddenDelay(reading, answer.metadata).map { step.now - $0 }
    guard isRequest, case .requesting(let inFlight, _) = phase else {
      return shown ?? step.policy.push.map { step.now - $0.watchdog }
    }
    let sent = sent(inFlight, of: answer, at: step.now)
    let stored = answer.metadata.transit
    let isStill = reading.map { serverClock.isContradicted(by: $0) && !serverClock.advances($0) }
    if isStill == true { return shown }
    guard stored > .zero else { return max(sent, shown ?? sent) }
    return shown ?? sent - stored - FreshnessMetadata.secondOfCaches
  }

  // MARK: Age as an interval (R37)

  // What is called from several places is not inlined, which keeps the WebAssembly module small.

  /// The duration of the last request that did not wait at the server.
  private var delay: Instant.Duration? { pathDelay < 0 ? nil : .milliseconds(Int64(pathDelay)) }

  /// Returns the time that a response took until now, which its age does not include.
  ///
  /// Of a long poll (R32) only the return path counts. Its length is unknown, and is taken to be
  /// the duration of the last request that did not wait at the server. The time that the host spent
  /// on decoding counts in any case, and says nothing of the path.
  mutating func responseDelay(
    _ answer: Answer,
    of inFlight: InFlightRequest,
    at now: Instant
  ) -> Instant.Duration {
    let decoding = max(answer.decoding, .zero)
    let taken = max(answer.delay ?? now - inFlight.startedAt - decoding, .zero)
    guard inFlight.request.longPoll == nil else { return min(taken, delay ?? taken) + decoding }
    // Only responses from the server measure the path.
    if answer.status != 0 { pathDelay = Int32(clamping: taken.milliseconds) }
    return taken + decoding
  }

  /// Returns the time that what a stream delivered took until now: as long as the last response.
  func deliveryDelay(_ answer: Answer) -> Instant.Duration {
    max(answer.delay ?? delay ?? .zero, .zero) + max(answer.decoding, .zero)
  }

  /// Learns the server's clock from a response that carries or confirms a copy.
  ///
  /// - Returns: What the response shows of the clock, if anything.
  @inline(never)
  mutating func noteClock(
    _ answer: Answer,
    delay: Instant.Duration,
    isRequest: Bool,
    in step: Step
  ) -> ServerClock.Reading? {
    let metadata = answer.metadata
    guard let served = metadata.serverTime else { return nil }
    var isMeasured = false
    if isRequest, case .requesting(let inFlight, _) = phase {
      isMeasured = inFlight.request.longPoll == nil
    }
    let quarter = Self.quarter(of: step.now)
    let reading = ServerClock.Reading(
      served: served,
      // A cache may say more than it held the response for: that makes no clock later.
      range: max(metadata.truncation, .zero) + max(metadata.transit, .zero)
        + metadata.wayBack(delay),
      isMeasured: isMeasured,
      quarters: serverClock.isKnown ? quarter &- clockShownAt : 0,
      drift: serverClock.drift(until: quarter, countedUntil: &driftCountedUntil),
      now: step.now
    )
    clockShownAt = quarter
    serverClock.note(reading, tolerance: step.policy.clockTolerance)
    return reading
  }

  /// An instant in quarters of a second, modulo 34 years.
  private static func quarter(of instant: Instant) -> UInt32 {
    UInt32(truncatingIfNeeded: instant.milliseconds / 250)
  }

  /// Returns the time since the server responded where it may be longer than the response says: it was in a
  /// hidden cache, or a stream or a long poll was slow.
  ///
  /// - Returns: The longest possible time; `nil` if the response agrees with the server's clock and its way was measured.
  @inline(never)
  private func hiddenDelay(
    _ reading: ServerClock.Reading?,
    _ metadata: FreshnessMetadata
  ) -> Instant.Duration? {
    guard let reading, let served = metadata.serverTime,
      !reading.isMeasured || serverClock.isContradicted(by: reading),
      let latest = serverClock.latest(at: reading.now)
    else { return nil }
    return max(latest - served, .zero)
  }

  /// Returns whether nothing bounds the time that a response was on its way: neither its request, nor a clock that another
  /// response showed.
  func isWayUnknown(_ metadata: FreshnessMetadata, _ reading: ServerClock.Reading?) -> Bool {
    guard serverClock.isOpen else { return false }
    return reading.map { !$0.isMeasured } ?? (metadata.cacheAge == nil)
  }

  /// Returns the greatest age of data that arrives now, if the server states it.
  ///
  /// Data that only states when it was made is counted to the server's clock, as other responses
  /// showed it.
  @inline(never)
  func statedAge(
    _ metadata: FreshnessMetadata,
    _ reading: ServerClock.Reading?,
    delay: Instant.Duration,
    at now: Instant
  ) -> Instant.Duration? {
    if let age = metadata.greatestAgeAtArrival(delay: delay) {
      guard let hidden = hiddenDelay(reading, metadata), let served = metadata.serverTime else {
        return age
      }
      let figure = metadata.cacheAge ?? metadata.fetchedAt.map { served - $0 } ?? .zero
      return max(age, max(figure, .zero) + hidden)
    }
    guard let made = metadata.fetchedAt, let shown = serverClock.latest(at: now) else { return nil }
    // The drift since a response showed the clock last.
    var counted = driftCountedUntil
    let drift = serverClock.drift(until: Self.quarter(of: now), countedUntil: &counted)
    let age = shown - made + .milliseconds(drift)
    guard .zero - age <= FreshnessMetadata.clockDifference else { return nil }
    return max(age, .zero)
  }

  /// Returns the age of the data on arrival, at its greatest.
  ///
  /// The same data never gets younger, whatever an intermediate cache says about it. The device's clock counts only for data that states when
  /// it was made while nothing shows the server's clock; such an age is not known (``isAgeKnown``).
  @inline(never)
  func arrivalAge(
    _ answer: Answer,
    _ reading: ServerClock.Reading?,
    stated: Instant.Duration?,
    delay: Instant.Duration,
    at now: Instant
  ) -> Instant.Duration {
    let metadata = answer.metadata
    var age = metadata.transit + metadata.wayBack(delay)
    if let stated {
      age = stated
    } else if let made = metadata.fetchedAt {
      if let time = answer.deviceTime { age = max(age, time - made) }
    } else if let hidden = hiddenDelay(reading, metadata) {
      age = max(age, hidden)
    }
    guard let made = metadata.fetchedAt, let snapshot, snapshot.sourceTime == made,
      snapshot.provenance != .local, isAgeKnown
    else { return age }
    return max(age, snapshot.age.value(at: now))
  }

  /// Whether the age of the copy is known: data that states when it was made has one only if the server's clock is known.
  var isAgeKnown: Bool {
    guard let snapshot, snapshot.provenance == .server else { return true }
    return snapshot.hasServerAge || snapshot.sourceTime == nil
  }
}
