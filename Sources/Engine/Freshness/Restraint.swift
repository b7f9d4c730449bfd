/// What an origin imposes on every resource that it serves (R39).
///
/// A host that drives several machines of one origin learns it from ``Origin`` and tells each of them.
/// It outlives another context: the next question goes to the same origin.
public struct Restraint: Hashable, Sendable {
  /// No request goes out before this moment, a person's included: a `Retry-After`, or a rate limit.
  public var notBefore: Moment?
  /// The schedule makes no request before this moment, because the origin is failing; a person may.
  public var quietUntil: Moment?
  /// The least time between the starts of two scheduled requests of one resource.
  ///
  /// Its share of a rate limit; a person is not slowed down by it.
  public var leastInterval: Timespan?

  /// Creates a restraint; none at first.
  public init(
    notBefore: Moment? = nil,
    quietUntil: Moment? = nil,
    leastInterval: Timespan? = nil
  ) {
    self.notBefore = notBefore
    self.quietUntil = quietUntil
    self.leastInterval = leastInterval
  }
}
