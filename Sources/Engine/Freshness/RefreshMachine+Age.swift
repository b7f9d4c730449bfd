extension RefreshMachine {
  // MARK: Monotonic reads (R36)

  /// Whether an answer is an older version than the copy at hand.
  func isOlder(_ marks: FreshnessMetadata, policy: Policy) -> Bool {
    SourceVersion.isOlder(marks, than: snapshot?.sourceTime, tolerance: policy.clockTolerance)
  }

  // MARK: Age as an interval (R37)

  /// The time in which an answer came, which its age does not count.
  ///
  /// Of an answer that waited at the server (R32) only the way back counts. It is not known, and is
  /// taken to be as long as the last request took that did not wait.
  mutating func responseDelay(
    _ answer: Answer,
    of flight: InFlightRequest,
    at now: Moment
  ) -> Timespan {
    let taken = max(answer.delay ?? now - flight.startedAt, .zero)
    guard flight.request.longPoll == nil else { return min(taken, delay ?? taken) }
    // Only what came from the server tells how long its way is.
    if answer.status != 0 { delay = taken }
    return taken
  }

  /// The age of the data on arrival: the end of its interval that cannot flatter.
  ///
  /// The same data never gets younger, whatever a cache on the way says of it.
  func arrivalAge(
    _ marks: FreshnessMetadata,
    delay: Timespan,
    at now: Moment
  ) -> Timespan {
    let age = marks.greatestAgeAtArrival(delay: delay) ?? marks.transit + marks.wayBack(delay)
    guard let made = marks.fetchedAt, let snapshot, snapshot.sourceTime == made,
      snapshot.provenance == .server
    else { return age }
    return max(age, snapshot.age.value(at: now))
  }
}
