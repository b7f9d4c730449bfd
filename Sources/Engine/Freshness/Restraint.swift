/// The limits that an origin imposes on every resource it serves (R39).
///
/// A host that drives several machines of one origin gets it from ``Origin`` and passes it to each
/// of them. It survives a change of context: the next query goes to the same origin.
public struct Restraint: Hashable, Sendable {
  /// No request is sent before this instant, including user requests: a `Retry-After`, or a rate
  /// limit.
  public var notBefore: Moment?
  /// No scheduled request is sent before this instant, because the origin is failing; user requests
  /// are.
  public var quietUntil: Moment?
  /// The least time between the starts of two scheduled requests of one resource.
  ///
  /// Its share of a rate limit; user requests are not slowed down by it.
  public var leastInterval: Timespan?

  /// Creates a restraint, without limits by default.
  public init(
    notBefore: Moment? = nil,
    quietUntil: Moment? = nil,
    leastInterval: Timespan? = nil
  ) {
    self.notBefore = notBefore
    self.quietUntil = quietUntil
    self.leastInterval = leastInterval
  }

  /// Returns whether it delays a request: `notBefore` every one, `quietUntil` all but those of the user.
  func delays(_ priority: Request.Priority, at now: Moment) -> Bool {
    if let notBefore, now < notBefore { return true }
    guard priority != .high, let quietUntil else { return false }
    return now < quietUntil
  }
}
