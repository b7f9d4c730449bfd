extension RefreshMachine {
  // MARK: Monotonic reads (R36)

  /// Returns whether a response is an older version than the current copy.
  ///
  /// The server's clock has been noted before.
  func isOlder(_ marks: FreshnessMetadata, _ reading: ServerClock.Reading?, policy: Policy) -> Bool
  {
    SourceVersion.isOlder(
      marks,
      than: snapshot?.floor,
      tolerance: policy.clockTolerance,
      isConfirmed: reading.map { !serverClock.isContradicted(by: $0) } ?? false
    )
  }

  /// Returns whether the stream delivered other content after a request was sent: unless source times order the two, the response
  /// may be older (R33, R36).
  func isOvertaken(_ flight: InFlightRequest, by answer: Answer, at now: Moment) -> Bool {
    guard let snapshot, snapshot.provenance == .server else { return false }
    return snapshot.changedAt > sent(flight, of: answer, at: now)
  }

  /// Returns when the host sent a request: it may have waited for the origin (R39).
  func sent(_ flight: InFlightRequest, of answer: Answer, at now: Moment) -> Moment {
    let taken = answer.delay.map { max($0, .zero) + max(answer.decoding, .zero) }
    return taken.map { max(now - $0, flight.startedAt) } ?? flight.startedAt
  }

  /// Returns whether the source times of the copy and of a response tell which of the two is newer.
  func isOrdered(_ marks: FreshnessMetadata) -> Bool {
    guard let copy = snapshot?.sourceTime, let made = marks.fetchedAt else { return false }
    return copy != made
  }

  /// Returns whether a response that the server made at an instant or later, or at an unknown one, may not show the
  /// application's write (R38).
  func isBeforeWrite(_ asOf: Moment?) -> Bool {
    guard let snapshot, snapshot.provenance == .local else { return false }
    return asOf.map { $0 < snapshot.changedAt } ?? true
  }

  /// Returns the earliest instant at which the server can have made a response (R38).
  ///
  /// If no cache held the response, it was made after its request was sent. Otherwise, the server's clock tells, or the
  /// `Age` of the cache. A stream that shows no clock is late by less than the silence at which it counts as lost (R33).
  @inline(never)
  func earliest(
    _ answer: Answer,
    _ reading: ServerClock.Reading?,
    isRequest: Bool,
    in turn: Step
  ) -> Moment? {
    let shown =
      serverClock.isOpen ? nil : hiddenDelay(reading, answer.marks).map { turn.now - $0 }
    guard isRequest, case .asking(let flight, _) = phase else {
      return shown ?? turn.policy.push.map { turn.now - $0.watchdog }
    }
    let sent = sent(flight, of: answer, at: turn.now)
    let stored = answer.marks.transit
    let isStill = reading.map { serverClock.isContradicted(by: $0) && !serverClock.advances($0) }
    if isStill == true { return shown }
    guard stored > .zero else { return max(sent, shown ?? sent) }
    return shown ?? sent - stored - FreshnessMetadata.secondOfCaches
  }

  // MARK: Age as an interval (R37)

  // What is called from several places is not inlined, which keeps the WebAssembly module small.

  /// The duration of the last request that did not wait at the server.
  private var delay: Timespan? { pathDelay < 0 ? nil : .milliseconds(Int64(pathDelay)) }

  /// Returns the time that a response took until now, which its age does not include.
  ///
  /// Of a long poll (R32) only the return path counts. Its length is unknown, and is taken to be
  /// the duration of the last request that did not wait at the server. The time that the host spent
  /// on decoding counts in any case, and says nothing of the path.
  mutating func responseDelay(
    _ answer: Answer,
    of flight: InFlightRequest,
    at now: Moment
  ) -> Timespan {
    let decoding = max(answer.decoding, .zero)
    let taken = max(answer.delay ?? now - flight.startedAt - decoding, .zero)
    guard flight.request.longPoll == nil else { return min(taken, delay ?? taken) + decoding }
    // Only responses from the server measure the path.
    if answer.status != 0 { pathDelay = Int32(clamping: taken.milliseconds) }
    return taken + decoding
  }

  /// Returns the time that what a stream delivered took until now: as long as the last response.
  func deliveryDelay(_ answer: Answer) -> Timespan {
    max(answer.delay ?? delay ?? .zero, .zero) + max(answer.decoding, .zero)
  }

  /// Learns the server's clock from a response that carries or confirms a copy.
  ///
  /// - Returns: What the response shows of the clock, if anything.
  @inline(never)
  mutating func noteClock(
    _ answer: Answer,
    delay: Timespan,
    isRequest: Bool,
    in turn: Step
  ) -> ServerClock.Reading? {
    let marks = answer.marks
    guard let served = marks.serverTime else { return nil }
    var isMeasured = false
    if isRequest, case .asking(let flight, _) = phase {
      isMeasured = flight.request.longPoll == nil
    }
    let quarter = Self.quarter(of: turn.now)
    let reading = ServerClock.Reading(
      served: served,
      // A cache may say more than it held the response for: that makes no clock later.
      range: max(marks.truncation, .zero) + max(marks.transit, .zero) + marks.wayBack(delay),
      isMeasured: isMeasured,
      quarters: serverClock.isKnown ? quarter &- clockShownAt : 0,
      drift: serverClock.drift(until: quarter, countedUntil: &driftCountedUntil),
      now: turn.now
    )
    clockShownAt = quarter
    serverClock.note(reading, tolerance: turn.policy.clockTolerance)
    return reading
  }

  /// An instant in quarters of a second, modulo 34 years.
  private static func quarter(of moment: Moment) -> UInt32 {
    UInt32(truncatingIfNeeded: moment.milliseconds / 250)
  }

  /// Returns the time since the server responded where it may be longer than the response says: it was in a
  /// hidden cache, or a stream or a long poll was slow.
  ///
  /// - Returns: The longest possible time; `nil` if the response agrees with the server's clock and its way was measured.
  @inline(never)
  private func hiddenDelay(_ reading: ServerClock.Reading?, _ marks: FreshnessMetadata) -> Timespan?
  {
    guard let reading, let served = marks.serverTime,
      !reading.isMeasured || serverClock.isContradicted(by: reading),
      let latest = serverClock.latest(at: reading.now)
    else { return nil }
    return max(latest - served, .zero)
  }

  /// Returns whether nothing bounds the time that a response was on its way: neither its request, nor a clock that another
  /// response showed.
  func isWayUnknown(_ marks: FreshnessMetadata, _ reading: ServerClock.Reading?) -> Bool {
    guard serverClock.isOpen else { return false }
    return reading.map { !$0.isMeasured } ?? (marks.cacheAge == nil)
  }

  /// Returns the greatest age of data that arrives now, as far as the server tells it.
  ///
  /// Data that only states when it was made is counted to the server's clock, as other responses
  /// showed it.
  @inline(never)
  func statedAge(
    _ marks: FreshnessMetadata,
    _ reading: ServerClock.Reading?,
    delay: Timespan,
    at now: Moment
  ) -> Timespan? {
    if let age = marks.greatestAgeAtArrival(delay: delay) {
      guard let hidden = hiddenDelay(reading, marks), let served = marks.serverTime else {
        return age
      }
      let figure = marks.cacheAge ?? marks.fetchedAt.map { served - $0 } ?? .zero
      return max(age, max(figure, .zero) + hidden)
    }
    guard let made = marks.fetchedAt, let shown = serverClock.latest(at: now) else { return nil }
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
    stated: Timespan?,
    delay: Timespan,
    at now: Moment
  ) -> Timespan {
    let marks = answer.marks
    var age = marks.transit + marks.wayBack(delay)
    if let stated {
      age = stated
    } else if let made = marks.fetchedAt {
      if let time = answer.deviceTime { age = max(age, time - made) }
    } else if let hidden = hiddenDelay(reading, marks) {
      age = max(age, hidden)
    }
    guard let made = marks.fetchedAt, let snapshot, snapshot.sourceTime == made,
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
