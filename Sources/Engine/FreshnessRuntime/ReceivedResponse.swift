import ConditionalHTTP
import Freshness
import HTTPTypes

/// What came back for one request, read as far as it can be read without the copy at hand.
struct ReceivedResponse<Value: Equatable & Sendable>: Sendable {
  /// The meaning of the answer.
  var outcome: ResponseOutcome
  /// The status; 0 without an answer.
  var status: Int
  /// The bytes of the body.
  var bytes: Int
  /// The body, where it could be read.
  var reading: Reading<Value>?
  /// What validates the body.
  var validators: Validators
  /// What the answer says of its freshness.
  var marks: FreshnessMetadata
  /// What the answer says of the next change.
  var hints: Hints
  /// The wall clock of the device on arrival (R27).
  var deviceTime: WallTime?
  /// The time from sending the request to the arrival of the whole answer (R37).
  var delay: Timespan?
  /// What the answer says of the server's rate limit (R39).
  var rateLimit: RateLimit?
  /// What the server says about a failure.
  var problem: ProblemDetails?
  /// What makes the answer checkable.
  var evidence = SampleEvidence()
  /// Whether a 304 came that speaks of another copy than ours.
  var isOfAnotherCopy = false

  /// Creates the arrival of nothing.
  init(_ error: HTTPExchangeError) {
    outcome = ResponseOutcome(error)
    status = 0
    bytes = 0
    validators = Validators()
    marks = FreshnessMetadata()
    hints = Hints()
  }

  /// Creates the arrival of a body by a stream (R33).
  init(_ reading: Reading<Value>, bytes: Int) {
    outcome = .modified
    status = 0
    self.bytes = bytes
    self.reading = reading
    validators = Validators()
    marks = reading.marks ?? FreshnessMetadata()
    hints = reading.hints ?? Hints()
  }

  /// Reads an answer.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - resource: What was asked for.
  ///   - known: The copy that the request told the server of.
  ///   - sent: The validators that were sent.
  ///   - times: When the request went out and the answer came, on the monotonic clock, and the
  ///     wall clock on arrival.
  ///   - retryAfterCap: The longest `Retry-After` that is obeyed.
  ///   - isRecorded: Whether somebody wants the hash of the body.
  init<R: FreshResource>(
    _ answer: HTTPExchangeAnswer,
    of resource: R,
    since known: Value?,
    sent: Validators?,
    times: (asked: Moment, arrived: Moment, wall: WallTime),
    retryAfterCap: Timespan,
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
    let standard = Self.marks(of: head, asked: times.asked, arrived: times.arrived)
    let own = reading?.marks ?? resource.marks(of: head)
    marks = own.map { standard.updated(by: $0) } ?? standard
    marks.transit = Self.transit(own: own, standard: standard)
    delay = max(times.arrived - times.asked, .zero)
    rateLimit = RateLimit(fields: head.headerFields)
    hints = reading?.hints ?? resource.hints(of: head) ?? Self.hints(of: head)
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

  /// Reads the server's name for an answer.
  private static func requestId(of head: HTTPResponse) -> String? {
    for name in ["x-md-request-id", "x-request-id"] {
      if let value = HTTPField.Name(name).flatMap({ head.headerFields[$0] }) { return value }
    }
    return nil
  }

  /// The time in caches: as `Age` says, or as `Date` betrays (R37).
  ///
  /// A cache that passes answers on without `Age` often puts its own `Date` on them. Then the server's
  /// time within the body is older than `Date`, by as long as the answer lay in the cache. `Date`
  /// counts whole seconds: less than one says nothing.
  private static func transit(own: FreshnessMetadata?, standard: FreshnessMetadata) -> Timespan {
    var transit = max(own?.transit ?? .zero, standard.transit)
    if let date = standard.serverTime, let served = own?.serverTime, date - served >= .seconds(1) {
      transit = max(transit, date - served)
    }
    return transit
  }

  /// Reads `Date` and `Age` (RFC 9111 section 4.2.3).
  ///
  /// The apparent age is left out: it believes the device's wall clock (R27). The response delay is
  /// added by the machine (R37).
  private static func marks(
    of head: HTTPResponse,
    asked: Moment,
    arrived: Moment
  ) -> FreshnessMetadata {
    let age = ResponseAge(
      fields: head.headerFields,
      requestTime: asked.milliseconds,
      responseTime: arrived.milliseconds
    )
    var marks = FreshnessMetadata()
    marks.serverTime = age.date.map { WallTime(milliseconds: $0.millisecondsSince1970) }
    marks.transit = .milliseconds(age.ageValue)
    return marks
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
