extension RefreshMachine {
  // MARK: Monotonic reads (R36)

  /// Returns whether a response is an older version than the current copy.
  func isOlder(_ marks: FreshnessMetadata, policy: Policy) -> Bool {
    SourceVersion.isOlder(marks, than: snapshot?.sourceTime, tolerance: policy.clockTolerance)
  }

  // MARK: Age as an interval (R37)

  /// Returns the time that a response took, which its age does not include.
  ///
  /// Of a long poll (R32) only the return path counts. Its length is unknown, and is taken to be
  /// the duration of the last request that did not wait at the server.
  mutating func responseDelay(
    _ answer: Answer,
    of flight: InFlightRequest,
    at now: Moment
  ) -> Timespan {
    let taken = max(answer.delay ?? now - flight.startedAt, .zero)
    guard flight.request.longPoll == nil else { return min(taken, delay ?? taken) }
    // Only responses from the server measure the path.
    if answer.status != 0 { delay = taken }
    return taken
  }

  /// Returns the age of the data on arrival, at its greatest.
  ///
  /// The same data never gets younger, whatever an intermediate cache says about it.
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
