import ConditionalHTTP
import Freshness
import HTTPTypes

/// The response to one request, read as far as possible without the current copy.
struct ReceivedResponse<Value: Equatable & Sendable>: Sendable {
  /// The outcome of the request.
  var outcome: ResponseOutcome
  /// The status; 0 without a response.
  var status: Int
  /// The bytes of the body.
  var bytes: Int
  /// The body, if it could be read.
  var reading: Reading<Value>?
  /// The validators of the body.
  var validators: Validators
  /// What the response says about its freshness.
  var metadata: FreshnessMetadata
  /// What the response says about the next change.
  var hints: Hints
  /// The wall clock of the device on arrival (R27).
  var deviceTime: WallTime?
  /// The time from sending the request to receiving the complete response (R37).
  var delay: Instant.Duration?
  /// When the complete response was received, before it was decoded; `nil` if it was not.
  var arrivedAt: Instant?
  /// What the response says about the server's rate limit (R39).
  var rateLimit: RateLimit?
  /// The server's problem details for a failure.
  var problem: ProblemDetails?
  /// The evidence for the response.
  var evidence = SampleEvidence()
  /// Whether a 304 arrived that refers to another copy.
  var isOfAnotherCopy = false

  /// Creates the result of a request without a response.
  init(_ error: HTTPExchangeError) {
    outcome = ResponseOutcome(error)
    status = 0
    bytes = 0
    validators = Validators()
    metadata = FreshnessMetadata()
    hints = Hints()
  }

  /// Creates the result of a function of the app that threw.
  init(loading error: any Error) {
    switch error {
    case let error as HTTPExchangeError: self.init(error)
    case is CancellationError: self.init(HTTPExchangeError(.cancelled, "canceled"))
    case let error as UnreadableAnswer:
      self.init(HTTPExchangeError(.unreachable, error.description))
      outcome = .undecodable(status: nil, reason: error.description)
    default: self.init(HTTPExchangeError(.unreachable, "\(error)"))
    }
  }

  /// Creates the result for a body from a stream (R33).
  init(_ reading: Reading<Value>, bytes: Int) {
    outcome = .modified
    status = 0
    self.bytes = bytes
    self.reading = reading
    validators = Validators()
    metadata = reading.metadata ?? FreshnessMetadata()
    hints = reading.hints ?? Hints()
  }

  /// Reads a response.
  ///
  /// - Parameters:
  ///   - answer: The response.
  ///   - resource: The requested resource.
  ///   - known: The copy that the request referred to.
  ///   - sent: The validators that were sent.
  ///   - times: When the request was sent and the response arrived, on the monotonic clock, and the
  ///     wall clock on arrival.
  ///   - retryAfterCap: The longest `Retry-After` that is honored.
  ///   - isRecorded: Whether to compute the hash of the body.
  init<R: FreshResource>(
    _ answer: HTTPExchangeAnswer,
    of resource: R,
    since known: Value?,
    sent: Validators?,
    times: (asked: Instant, arrived: Instant, wall: WallTime),
    retryAfterCap: Instant.Duration,
    isRecorded: Bool
  ) where R.Value == Value {
    let head = answer.head
    var unreadable: String?
    var reading: Reading<Value>?
    if head.status.code == 200 || (201...299).contains(head.status.code) && !answer.body.isEmpty {
      do {
        reading = try resource.read(answer, since: known)
      } catch {
        unreadable = error.description
      }
    }
    outcome = ResponseOutcome(
      status: head.status,
      fields: head.headerFields,
      decodingFailure: reading == nil ? unreadable ?? "the answer has no body" : nil,
      hasSnapshot: sent != nil || known != nil,
      now: times.wall.milliseconds,
      delayLimit: retryAfterCap.milliseconds
    )
    status = head.status.code
    bytes = answer.body.count
    self.reading = outcome == .modified ? reading : nil
    validators = Validators(fields: head.headerFields)
    let standard = Self.metadata(of: head, asked: times.asked, arrived: times.arrived)
    let own = reading?.metadata ?? resource.metadata(of: head)
    metadata = own.map { standard.updated(by: $0) } ?? standard
    let taken = max(times.arrived - times.asked, .zero)
    Self.addCaches(to: &metadata, own: own, standard: standard, delay: taken)
    delay = taken
    arrivedAt = times.arrived
    rateLimit = RateLimit(fields: head.headerFields)
    hints = Self.hints(of: head).updated(by: resource.hints(of: head) ?? Hints())
      .updated(by: reading?.hints ?? Hints())
    deviceTime = times.wall
    evidence.answered = reading?.subject
    evidence.entityTag = head.headerFields[.eTag]
    evidence.requestId = Self.requestId(of: head)
    evidence.receipt = HTTPField.Name(AnswerReceipt.field).flatMap { head.headerFields[$0] }
    if isRecorded, !answer.body.isEmpty {
      evidence.digest = SampleEvidence.digest(of: answer.body)
    }
    problem = outcome.isSuccess ? nil : ProblemDetails(reading: answer)
    if case .notModified = outcome, head.status == .notModified, let sent {
      isOfAnotherCopy = !sent.areConfirmed(by: head.headerFields)
    }
  }

  /// Returns the server's identifier of a response.
  private static func requestId(of head: HTTPResponse) -> String? {
    for name in ["x-md-request-id", "x-request-id"] {
      if let value = HTTPField.Name(name).flatMap({ head.headerFields[$0] }) { return value }
    }
    return nil
  }

  /// Adds the time in caches, from `Age`, or from what `Date` reveals (R37).
  ///
  /// A cache that forwards responses without `Age` often adds its own `Date`. The server's time in
  /// the response is then older than `Date`, by as long as the response was cached: more than the
  /// whole request took, or a second if the server's time may itself be cut. Up to a second of
  /// `Date` and the delay stay unseen.
  private static func addCaches(
    to metadata: inout FreshnessMetadata,
    own: FreshnessMetadata?,
    standard: FreshnessMetadata,
    delay: Instant.Duration
  ) {
    metadata.transit = max(own?.transit ?? .zero, standard.transit)
    guard let date = standard.serverTime, let served = own?.served else { return }
    let hidden = date - served.time
    let isSeen = hidden >= .seconds(1) || (!served.isCut && hidden > delay + clockDifference)
    guard isSeen, hidden > metadata.transit else { return }
    metadata.transit = hidden
    // The second that `Date` covers is counted with the time in caches; that of the server's
    // time is between the two and counts only once.
    metadata.serverTime = served.time
    metadata.truncation = .zero
  }

  /// How far the clocks of a server and of a cache in front of it may differ.
  private static var clockDifference: Instant.Duration { .milliseconds(100) }

  /// Reads `Date` and `Age` (RFC 9111 section 4.2.3).
  ///
  /// The apparent age is not used, because it depends on the device's wall clock (R27). The machine
  /// adds the response delay (R37).
  private static func metadata(
    of head: HTTPResponse,
    asked: Instant,
    arrived: Instant
  ) -> FreshnessMetadata {
    let age = ResponseAge(
      fields: head.headerFields,
      requestTime: asked.milliseconds,
      responseTime: arrived.milliseconds
    )
    var metadata = FreshnessMetadata()
    metadata.serverTime = age.date.map { WallTime(milliseconds: $0.millisecondsSince1970) }
    metadata.truncation = FreshnessMetadata.truncationOfDate
    // An `Age` of 0 means any time within its second (R37).
    metadata.transit = .milliseconds(age.isFromCache ? max(age.ageValue, 1) : 0)
    return metadata
  }

  /// Reads `Cache-Control: max-age` (R31).
  private static func hints(of head: HTTPResponse) -> Hints {
    let control = CacheControl(fields: head.headerFields)
    guard let seconds = control.maxAge, seconds > 0, !control.isNoStore, !control.isNoCache else {
      return Hints()
    }
    return Hints(maxAge: .seconds(seconds))
  }
}

extension FreshnessMetadata {
  /// When the server made the response, by its own clock: as it says, or the source time and the age
  /// that it says; and whether that is cut to whole seconds.
  fileprivate var served: (time: WallTime, isCut: Bool)? {
    if let serverTime { return (serverTime, truncation > .zero) }
    guard let fetchedAt, let cacheAge else { return nil }
    let sum = fetchedAt.milliseconds.addingReportingOverflow(cacheAge.milliseconds)
    guard !sum.overflow else { return nil }
    return (WallTime(milliseconds: sum.partialValue), fetchedAt.milliseconds % 1_000 == 0)
  }
}
