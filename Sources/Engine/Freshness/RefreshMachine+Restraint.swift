extension RefreshMachine {
  // MARK: The origin (R21, R39)

  /// The instant before which no request is sent: this resource's `Retry-After`, or its origin's.
  var notBefore: Instant? {
    guard let own = backoff.notBefore else { return restraint.notBefore }
    return restraint.notBefore.map { max($0, own) } ?? own
  }

  /// The instant before which no stream is opened: a `Retry-After`, or the ladder of a failing origin.
  var noStreamBefore: Instant? {
    guard let quietUntil = restraint.quietUntil else { return notBefore }
    return notBefore.map { max($0, quietUntil) } ?? quietUntil
  }

  /// Returns whether a `Retry-After` or a rate limit delays every request.
  @inline(never)
  func isBound(at now: Instant) -> Bool { notBefore.map { now < $0 } ?? false }

  // MARK: Impatience (R40)

  /// Returns whether a request exceeds what is left of the budget of impatient requests.
  @inline(never)
  func isOverBudget(_ refresh: RefreshRequest, at now: Instant) -> Bool {
    refresh.isImpatient && !isBound(at: now) && !patience.allows(at: now, policy)
  }

  /// Keeps a refresh request until the budget covers it, or until another request answers it.
  @inline(never)
  mutating func postpone(_ refresh: RefreshRequest, in step: inout Step) {
    postponed = postponed.map { $0.merged(with: refresh) } ?? refresh
    step.effects.notes.insert(.deferred)
  }
}
