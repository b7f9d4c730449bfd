/// The limits that an origin imposes on every resource it serves (R39).
///
/// A host that drives several machines of one origin gets it from ``Origin`` and passes it to each
/// of them. It survives a change of context: the next query goes to the same origin.
public struct Restraint: Hashable, Sendable {
  // Without the room of four optional values, of which there would be a set in every machine.
  private var notBeforeInstant = Self.none
  private var quietUntilInstant = Self.none
  private var sharedUntilInstant = Self.none
  private var leastSpan = Instant.Duration.zero

  /// In place of an instant that is not known.
  private static let none = Instant(milliseconds: .min)

  /// No request is sent before this instant, including user requests: a `Retry-After`, or a rate
  /// limit.
  public var notBefore: Instant? {
    get { Self.known(notBeforeInstant) }
    set { notBeforeInstant = newValue ?? Self.none }
  }

  /// No scheduled request is sent before this instant, because the origin is failing; user requests
  /// are.
  public var quietUntil: Instant? {
    get { Self.known(quietUntilInstant) }
    set { quietUntilInstant = newValue ?? Self.none }
  }

  /// The least time between the starts of two scheduled requests of one resource, greater than zero.
  ///
  /// Its share of a rate limit; user requests are not slowed down by it.
  public var leastInterval: Instant.Duration? {
    get { leastSpan > .zero ? leastSpan : nil }
    set { leastSpan = newValue.map { max($0, .zero) } ?? .zero }
  }

  /// When the rate limit resets: from then on the share is not known, and a first response shows it.
  public var sharedUntil: Instant? {
    get { Self.known(sharedUntilInstant) }
    set { sharedUntilInstant = newValue ?? Self.none }
  }

  /// Creates a restraint, without limits by default.
  public init(
    notBefore: Instant? = nil,
    quietUntil: Instant? = nil,
    leastInterval: Instant.Duration? = nil,
    sharedUntil: Instant? = nil
  ) {
    self.notBefore = notBefore
    self.quietUntil = quietUntil
    self.leastInterval = leastInterval
    self.sharedUntil = sharedUntil
  }

  private static func known(_ instant: Instant) -> Instant? { instant == none ? nil : instant }

  /// Returns whether it delays a request: `notBefore` every one, `quietUntil` all but those of the user.
  func delays(_ priority: Request.Priority, at now: Instant) -> Bool {
    if now < notBeforeInstant { return true }
    return priority != .high && now < quietUntilInstant
  }

  /// Returns when a resource may send its next scheduled request without exceeding its share of the rate limit.
  ///
  /// Once the limit has reset, the resources do not wait for the rest of their shares, which may be long: one after another
  /// sends a request, as many in a time as before, until a response shows the new shares.
  ///
  /// - Parameters:
  ///   - start: When it sent the last one.
  ///   - random: A random sample.
  /// - Returns: The instant; `nil` if it need not wait.
  func slot(after start: Instant?, _ random: RandomSample) -> Instant? {
    guard let start, let leastInterval else { return nil }
    let slot = start + leastInterval
    return sharedUntil.map { min(slot, $0 + random.upTo(leastInterval)) } ?? slot
  }
}
