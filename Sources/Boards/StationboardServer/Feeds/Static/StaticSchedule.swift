import ConditionalHTTP
package import HTTPTypes

/// When a source is asked, with which conditions, and the outcome: a state machine without a clock,
/// randomness or I/O.
///
/// Kept as JSON in `static/KEY.json`. A check that was begun and never finished, because the process was
/// killed, counts as a failure, so that a program that starts again and again does not ask each time.
package struct StaticSchedule: Codable, Hashable, Sendable {
  /// The result of a check.
  package enum Outcome: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing new.
    case unchanged
    /// A new generation serves.
    case serves
    /// A new generation waits for its first day.
    case waits
    /// A new generation is held back.
    case held
    /// The content is not a feed that can be imported.
    case refused
    /// No usable response, or a fault of this machine.
    case failed
  }

  /// The fields of a response that the schedule depends on.
  package struct Response: Hashable, Sendable {
    /// The entity tag as received; `nil` if none or not text.
    package var entityTag: String?
    /// Last-Modified as received.
    package var lastModified: String?
    /// The seconds for which the response is fresh, if the server says so.
    package var maxAge: Double?

    /// Creates a response.
    package init(entityTag: String? = nil, lastModified: String? = nil, maxAge: Double? = nil) {
      self.entityTag = entityTag
      self.lastModified = lastModified
      self.maxAge = maxAge
    }

    /// Reads the fields of a response.
    package init(_ fields: HTTPFields) {
      let validators = Validators(fields: fields)
      entityTag = validators.entityTag.flatMap { String(validating: $0.fieldValue, as: UTF8.self) }
      lastModified = validators.lastModified
      let control = CacheControl(fields: fields)
      maxAge = control.directives.first { $0.name == "max-age" }?.argument.flatMap { Double($0) }
    }
  }

  /// How a check ended.
  package enum Ending: Hashable, Sendable {
    /// The server says that its content has not changed (304).
    case notModified(Response)
    /// Content arrived whole and was handled.
    ///
    /// - Parameters: the digest, the outcome, and a reason if the content is not used.
    case content(Response, digest: String, Outcome, reason: String?)
    /// Nothing usable arrived, or this machine could not use it.
    case failed(String, retryAfter: Double?)
  }

  /// The fingerprint of the address that the rest is about.
  private(set) var address: String?
  private var entityTag: String?
  private var lastModified: String?
  /// The digest of the newest content that was handled, whatever came of it.
  package private(set) var digest: String?
  /// Why the newest content is not a feed that can be used; `nil` if it is.
  package private(set) var refusal: String?
  /// Why the newest check failed; `nil` if it did not.
  package private(set) var failure: String?
  /// When the source was last asked, in seconds since 1970-01-01T00:00:00Z.
  package private(set) var checkedAt: Double?
  /// When it last answered usably.
  package private(set) var answeredAt: Double?
  /// When it is asked next; `nil` for at once.
  package private(set) var nextAt: Double?
  /// The failures since the last usable response.
  package private(set) var failures = 0
  /// The checks by their outcome.
  package private(set) var counts: [String: Int] = [:]

  /// Creates the schedule of a source that was never asked.
  package init() {}

  /// What is wrong; `nil` if nothing is.
  package var error: String? { failure ?? refusal }

  /// Whether the source is to be asked.
  ///
  /// - Parameters:
  ///   - now: Seconds since 1970-01-01T00:00:00Z.
  ///   - interval: The seconds between two checks.
  /// - Returns: Whether it is time for the next check.
  package func isDue(now: Double, interval: Double) -> Bool {
    guard let nextAt else { return true }
    // Later than any wait: the clock has been set back.
    return nextAt <= now || nextAt > now + Self.longestWait(interval)
  }

  /// Begins with a source: at another address nothing is known yet.
  ///
  /// Two programs that follow different addresses for one feed take turns at this; so the new address is asked a
  /// moment after the other one, not at once.
  package mutating func follow(fingerprint: String, now: Double) {
    guard address != fingerprint else { return }
    let before = self
    self = StaticSchedule()
    address = fingerprint
    counts = before.counts
    guard before.address != nil, let asked = before.checkedAt, asked <= now else { return }
    checkedAt = asked
    nextAt = asked + StaticFeedLimits.firstRetry
  }

  /// Whether a file can be of a time: RFC 9110 section 8.8.2.1 forbids dates in the future, which would make every
  /// later file an older one.
  ///
  /// - Parameters:
  ///   - modified: Seconds since 1970-01-01T00:00:00Z.
  ///   - now: The clock of this machine, likewise.
  /// - Returns: Whether it can.
  static func isPlausible(_ modified: Int64, now: Double) -> Bool {
    Double(modified) <= now + StaticFeedLimits.dateTolerance
  }

  /// Forgets what arrived, because no generation of it is left.
  package mutating func forget() {
    (entityTag, lastModified, digest, refusal) = (nil, nil, nil, nil)
  }

  /// Returns a request with the conditions of what is known.
  package func conditional(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    let validators = Validators(
      entityTag: entityTag.flatMap { EntityTag(parsing: $0) },
      lastModified: lastModified
    )
    if !validators.isEmpty {
      ConditionalRequest(validators: validators).apply(to: &request.headerFields)
    }
    return request
  }

  /// Whether the request has conditions, so that 304 has a meaning.
  package var isConditional: Bool { entityTag != nil || lastModified != nil }

  /// Notes that the source is being asked; until ``finish(_:now:interval:random:)`` it counts as failed.
  ///
  /// The random number is from 0 to 1.
  package mutating func start(now: Double, interval: Double, random: Double) {
    checkedAt = now
    failures += 1
    failure = "the check was interrupted"
    nextAt = now + retry(interval: interval, random: random, retryAfter: nil)
  }

  /// Notes how a check ended that ``start(now:interval:random:)`` began; `random` is from 0 to 1.
  package mutating func finish(
    _ ending: Ending,
    now: Double,
    interval: Double,
    random: Double
  ) {
    var wait = interval
    switch ending {
    case .failed(let reason, let retryAfter):
      failure = String(reason.prefix(StaticFeedLimits.reasonLength))
      count(.failed)
      nextAt = now + retry(interval: interval, random: random, retryAfter: retryAfter)
      return
    case .notModified(let response):
      // A 304 may bring newer validators of the same content.
      entityTag = response.entityTag ?? entityTag
      lastModified = response.lastModified ?? lastModified
      wait = max(wait, requested(response.maxAge))
      count(.unchanged)
    case .content(let response, let digest, let outcome, let reason):
      entityTag = response.entityTag
      lastModified = response.lastModified
      if outcome != .unchanged || self.digest != digest {
        // Why a generation is held back is the manifest's to say: a person may accept it at any moment.
        refusal =
          outcome == .refused
          ? reason.map { String($0.prefix(StaticFeedLimits.reasonLength)) } : nil
      }
      self.digest = digest
      // Each check of such a source is a whole download.
      if !isConditional { wait *= StaticFeedLimits.intervalsWithoutValidator }
      wait = max(wait, requested(response.maxAge))
      count(outcome)
    }
    failure = nil
    failures = 0
    answeredAt = now
    nextAt = now + wait * Self.spread(random)
  }

  private mutating func count(_ outcome: Outcome) { counts[outcome.rawValue, default: 0] += 1 }

  /// The wait after the failures so far.
  private func retry(interval: Double, random: Double, retryAfter: Double?) -> Double {
    let first = min(StaticFeedLimits.firstRetry, interval)
    var wait = first
    for _ in 1..<max(failures, 1) where wait < interval { wait *= 2 }
    return max(min(wait, interval) * Self.spread(random), requested(retryAfter))
  }

  /// A wait that the server asks for, as far as it is obeyed.
  private func requested(_ wait: Double?) -> Double {
    guard let wait, wait > 0 else { return 0 }
    return min(wait, StaticFeedLimits.longestRequestedWait)
  }

  private static func spread(_ random: Double) -> Double {
    1 + StaticFeedLimits.jitter * (2 * min(max(random, 0), 1) - 1)
  }

  private static func longestWait(_ interval: Double) -> Double {
    max(
      interval * StaticFeedLimits.intervalsWithoutValidator,
      StaticFeedLimits.longestRequestedWait
    ) * (1 + StaticFeedLimits.jitter)
  }
}
