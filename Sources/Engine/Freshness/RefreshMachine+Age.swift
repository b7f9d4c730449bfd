extension RefreshMachine {
  // MARK: Monotonic reads (R36)

  /// Returns whether a response is an older version than the current copy.
  func isOlder(_ marks: FreshnessMetadata, policy: Policy) -> Bool {
    SourceVersion.isOlder(marks, than: snapshot?.sourceTime, tolerance: policy.clockTolerance)
  }

  // MARK: Age as an interval (R37)

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
  mutating func noteClock(
    _ marks: FreshnessMetadata,
    delay: Timespan,
    at now: Moment,
    policy: Policy
  ) {
    guard let served = marks.serverTime else { return }
    serverClock.note(
      WallTime(milliseconds: (served - WallTime(milliseconds: 0) + marks.transit).milliseconds),
      range: max(marks.truncation, .zero) + marks.wayBack(delay),
      at: now,
      tolerance: policy.clockTolerance
    )
  }

  /// Returns the greatest age of data that arrives now, as far as the server tells it.
  ///
  /// Data that only states when it was made is counted to the server's clock, as other responses
  /// showed it.
  func statedAge(_ marks: FreshnessMetadata, delay: Timespan, at now: Moment) -> Timespan? {
    if let age = marks.greatestAgeAtArrival(delay: delay) { return age }
    guard let made = marks.fetchedAt, let time = serverClock.latest(at: now) else { return nil }
    return max(time - made, .zero)
  }

  /// Returns the age of the data on arrival, at its greatest.
  ///
  /// The same data never gets younger, whatever an intermediate cache says about it.
  func arrivalAge(
    _ marks: FreshnessMetadata,
    delay: Timespan,
    at now: Moment
  ) -> Timespan {
    let age = statedAge(marks, delay: delay, at: now) ?? marks.transit + marks.wayBack(delay)
    guard let made = marks.fetchedAt, let snapshot, snapshot.sourceTime == made,
      snapshot.provenance == .server
    else { return age }
    return max(age, snapshot.age.value(at: now))
  }
}
