import Freshness
import Hashing

/// The server of one resource, with and without faults.
struct Server: Sendable {
  enum Weather: Sendable {
    case fair
    case failing(Int32)
    case down
    case silent
    case throttling
    case refusing(Int32)
    case garbled
    case degraded(ResponseMode?, RealtimeStatus?)
    case withoutCopy
  }

  let temper: FaultProfile
  var producer: Producer
  var weather: Weather = .fair
  /// Changes at a restart; validators of an older epoch are not valid.
  var epoch: Int64 = 1
  /// The server's clock minus the run's.
  var clock: Int64
  private let period: Int64
  private var weatherUntil: Int64

  init(_ temper: FaultProfile, _ random: inout SplitMix64) {
    self.temper = temper
    clock = 1_700_000_000_000 + random.below(1_000_000)
    period = random.oneIn(3) ? 15_000 : random.scale(11, 17)
    let rhythm: Producer.Rhythm =
      switch random.below(4) {
      case 0: .random(mean: random.scale(10, 16))
      case 1:
        .bursts(count: random.between(2, 9), gap: random.scale(5, 11), pause: random.scale(13, 17))
      case 2: .periodic(period: period, jitter: 0, missedIn: 0)
      default: .periodic(period: period, jitter: period / 10, missedIn: random.between(2, 20))
      }
    producer = Producer(rhythm, from: 0, &random)
    weatherUntil = random.exponential(mean: temper.weatherFor)
  }

  /// Lets time pass.
  mutating func advance(to moment: Int64, _ random: inout SplitMix64) {
    producer.advance(to: moment, &random)
    guard moment >= weatherUntil else { return }
    weatherUntil = moment + 1 + random.exponential(mean: temper.weatherFor)
    if temper.has(.jumps), random.oneIn(4) {
      // The clock is occasionally set; mostly it is only corrected.
      clock +=
        random.oneIn(3) ? random.between(-7_200_000, 7_200_000) : random.between(-100_000, 100_000)
    }
    if temper.has(.restarts), random.oneIn(3) { epoch += 1 }
    weather = random.oneIn(2) ? .fair : foul(&random)
  }

  private func foul(_ random: inout SplitMix64) -> Weather {
    switch random.below(9) {
    case 0 where temper.has(.outages):
      return .failing(random.oneIn(3) ? 408 : 500 + Int32(random.below(5)))
    case 1 where temper.has(.outages): return .down
    case 2 where temper.has(.silentServer): return .silent
    case 3 where temper.has(.throttling): return .throttling
    case 4 where temper.has(.refusals):
      let statuses: [Int32] = [400, 401, 403, 404, 409, 410, 422]
      return .refusing(statuses[Int(random.below(7))])
    case 5 where temper.has(.corruption): return .garbled
    case 6 where temper.has(.refusals): return .withoutCopy
    case 7, 8:
      guard temper.has(.degraded) else { return .fair }
      let modes: [ResponseMode?] = [
        nil, .full, .degradedStatic, .staleCacheFallback, .staticTimeoutFallback, .unknown,
      ]
      let states: [RealtimeStatus?] = [
        nil, .applied, .partial, .skippedBudget, .disabled, .missingCache, .staleCache,
        .guardedError, .unknown,
      ]
      return .degraded(modes[Int(random.below(6))], states[Int(random.below(9))])
    default: return .fair
    }
  }

  /// Answers a request that arrived; returns `nil` for no response.
  func answer(
    _ request: Request,
    at moment: Int64,
    _ random: inout SplitMix64
  ) -> Answer? {
    switch weather {
    case .silent: return nil
    case .down: return Answer(.unreachable)
    case .failing(let status): return Answer(Outcome(status: status), status: status, bytes: 90)
    case .garbled:
      return Answer(.undecodable(reason: Int32(random.below(4))), status: 200, bytes: 700)
    case .refusing(let status): return Answer(Outcome(status: status), status: status, bytes: 120)
    case .withoutCopy: return Answer(.unchanged, status: 204, bytes: 200)
    case .throttling: return throttled(at: moment, &random)
    case .fair, .degraded: return board(request, at: moment, &random)
    }
  }

  private func throttled(at moment: Int64, _ random: inout SplitMix64) -> Answer {
    var marks = FreshnessMetadata()
    let hint: RetryHint?
    switch random.below(5) {
    case 0: hint = nil
    case 1:
      marks.serverTime = WallTime(milliseconds: clock + moment)
      hint = .date(WallTime(milliseconds: clock + moment + random.between(-5_000, 90_000)))
    case 2: hint = .date(WallTime(milliseconds: clock + moment + 20_000))
    case 3: hint = .seconds(random.oneIn(8) ? .max : random.between(-2, 900))
    default: hint = .seconds(random.between(1, 60))
    }
    let status: Int32 = hint == nil || random.oneIn(2) ? 429 : 503
    return Answer(
      Outcome(status: status, retryAfter: hint),
      status: status,
      bytes: 60,
      marks: marks
    )
  }

  /// Returns the validator of the newest body in a context.
  func validator(_ context: Context) -> Validator? {
    if temper.has(.noValidators), epoch % 2 == 0 { return nil }
    let place = (context.identity &* 16 &+ context.question) &* 1_000 &+ epoch
    if temper.has(.wrongValidators), epoch % 3 == 0 { return Validator(place) }
    return Validator(place &* 1_000_000 &+ producer.revision)
  }

  private func board(_ request: Request, at moment: Int64, _ random: inout SplitMix64) -> Answer {
    let context = request.ticket.context
    let validator = validator(context)
    if let sent = request.validator, sent == validator {
      var marks = FreshnessMetadata()
      if temper.has(.rhythm), random.oneIn(2) { marks = self.marks(at: moment, &random) }
      return Answer(.unchanged, status: 304, bytes: 200, marks: marks, hints: hints(at: moment))
    }
    return Answer(
      .content(content(context, &random)),
      status: 200,
      bytes: 20_000 + random.below(900),
      marks: marks(at: moment, &random),
      hints: hints(at: moment),
      activity: temper.has(.activity) && random.oneIn(4)
        ? (random.oneIn(2) ? .active : .quiet) : nil
    )
  }

  /// Returns the newest body in a context.
  func content(_ context: Context, _ random: inout SplitMix64) -> Content {
    var hasRealtime = true
    if case .degraded(_, let status) = weather { hasRealtime = status == .applied || status == nil }
    return Content(
      Revision(context.question &* 1_000_000 &+ producer.revision),
      validator: validator(context),
      hasRealtime: hasRealtime,
      fulfilsAction: temper.has(.actions) && random.oneIn(6)
    )
  }

  /// Returns what a response says about the freshness of its data.
  func marks(at moment: Int64, _ random: inout SplitMix64) -> FreshnessMetadata {
    var marks = FreshnessMetadata(mode: .full, status: .applied)
    if case .degraded(let mode, let status) = weather {
      marks.mode = mode
      marks.status = status
      if status == nil {
        marks.appliedFlag = random.oneIn(2)
        marks.reason = random.oneIn(2) ? .partial : .missingCache
      }
    }
    guard temper.has(.rhythm) || temper.has(.hints) else {
      if random.oneIn(3) { marks.cacheAge = Timespan(milliseconds: random.below(40_000)) }
      return marks
    }
    marks.serverTime = WallTime(milliseconds: clock + moment)
    if temper.has(.rhythm) {
      marks.fetchedAt = WallTime(milliseconds: clock + producer.madeAt)
      if random.oneIn(20) { marks.transit = Timespan(milliseconds: random.below(4_000)) }
      travel(&marks, &random)
      // A server whose only clock is `Date`.
      if temper.has(.jumps), marks.cacheAge == nil, let served = marks.serverTime?.milliseconds {
        marks.serverTime = WallTime(milliseconds: served - served % 1_000)
        marks.truncation = FreshnessMetadata.truncationOfDate
      }
    }
    return marks
  }

  /// Applies the effects of edges and intermediate caches to a response with a source time.
  private func travel(_ marks: inout FreshnessMetadata, _ random: inout SplitMix64) {
    guard let made = marks.fetchedAt?.milliseconds, let served = marks.serverTime?.milliseconds
    else { return }
    if temper.has(.edges), random.oneIn(6) {
      // An edge that does not have the newest data yet.
      marks.fetchedAt = WallTime(milliseconds: made - random.below(60_000))
    } else if temper.has(.caches), random.oneIn(4) {
      // A cache that does not report its age: the response looks as young as when it was made.
      marks.serverTime = WallTime(milliseconds: max(served - random.below(20_000), made))
    }
  }

  /// Returns what a response says about the next change.
  func hints(at moment: Int64) -> Hints {
    guard temper.has(.hints) else { return Hints() }
    let next = producer.nextAt
    if epoch % 4 == 0 { return Hints(maxAge: Timespan(milliseconds: next - moment)) }
    return Hints(
      nextExpectedAt: WallTime(milliseconds: clock + next),
      spread: epoch % 2 == 0 ? Timespan(milliseconds: period / 4) : nil
    )
  }
}
