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

  let faults: FaultProfile
  var producer: Producer
  var weather: Weather = .fair
  /// Changes at a restart; validators of an older epoch are not valid.
  var epoch: Int64 = 1
  /// The server's clock minus the run's.
  var clock: Int64
  private let period: Int64
  private var weatherUntil: Int64

  init(_ faults: FaultProfile, _ random: inout SplitMix64) {
    self.faults = faults
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
    weatherUntil = random.exponential(mean: faults.weatherFor)
  }

  /// Lets time pass.
  mutating func advance(to instant: Int64, _ random: inout SplitMix64) {
    producer.advance(to: instant, &random)
    guard instant >= weatherUntil else { return }
    weatherUntil = instant + 1 + random.exponential(mean: faults.weatherFor)
    if faults.has(.jumps), random.oneIn(4) {
      // The clock is occasionally set; mostly it is only corrected.
      clock +=
        random.oneIn(3) ? random.between(-7_200_000, 7_200_000) : random.between(-100_000, 100_000)
    }
    if faults.has(.restarts), random.oneIn(3) { epoch += 1 }
    weather = random.oneIn(2) ? .fair : foul(&random)
  }

  private func foul(_ random: inout SplitMix64) -> Weather {
    switch random.below(9) {
    case 0 where faults.has(.outages):
      return .failing(random.oneIn(3) ? 408 : 500 + Int32(random.below(5)))
    case 1 where faults.has(.outages): return .down
    case 2 where faults.has(.silentServer): return .silent
    case 3 where faults.has(.throttling): return .throttling
    case 4 where faults.has(.refusals):
      let statuses: [Int32] = [400, 401, 403, 404, 409, 410, 422]
      return .refusing(statuses[Int(random.below(7))])
    case 5 where faults.has(.corruption): return .garbled
    case 6 where faults.has(.refusals): return .withoutCopy
    case 7, 8:
      guard faults.has(.degraded) else { return .fair }
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
    at instant: Int64,
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
    case .throttling: return throttled(at: instant, &random)
    case .fair, .degraded: return board(request, at: instant, &random)
    }
  }

  private func throttled(at instant: Int64, _ random: inout SplitMix64) -> Answer {
    var metadata = FreshnessMetadata()
    let hint: RetryHint?
    switch random.below(5) {
    case 0: hint = nil
    case 1:
      metadata.serverTime = WallTime(milliseconds: clock + instant)
      hint = .date(WallTime(milliseconds: clock + instant + random.between(-5_000, 90_000)))
    case 2: hint = .date(WallTime(milliseconds: clock + instant + 20_000))
    case 3: hint = .seconds(random.oneIn(8) ? .max : random.between(-2, 900))
    default: hint = .seconds(random.between(1, 60))
    }
    let status: Int32 = hint == nil || random.oneIn(2) ? 429 : 503
    return Answer(
      Outcome(status: status, retryAfter: hint),
      status: status,
      bytes: 60,
      metadata: metadata
    )
  }

  /// Returns the validator of the newest body in a context.
  func validator(_ context: Context) -> Validator? {
    if faults.has(.noValidators), epoch % 2 == 0 { return nil }
    let place = (context.identity &* 16 &+ context.question) &* 1_000 &+ epoch
    if faults.has(.wrongValidators), epoch % 3 == 0 { return Validator(place) }
    return Validator(place &* 1_000_000 &+ producer.revision)
  }

  private func board(_ request: Request, at instant: Int64, _ random: inout SplitMix64) -> Answer {
    let context = request.ticket.context
    let validator = validator(context)
    if let sent = request.validator, sent == validator {
      var metadata = FreshnessMetadata()
      if faults.has(.rhythm), random.oneIn(2) { metadata = self.metadata(at: instant, &random) }
      return Answer(
        .unchanged,
        status: 304,
        bytes: 200,
        metadata: metadata,
        hints: hints(at: instant)
      )
    }
    return Answer(
      .content(content(context, &random)),
      status: 200,
      bytes: 20_000 + random.below(900),
      metadata: metadata(at: instant, &random),
      hints: hints(at: instant),
      activity: faults.has(.activity) && random.oneIn(4)
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
      fulfilsAction: faults.has(.actions) && random.oneIn(6)
    )
  }

  /// Returns what a response says about the freshness of its data.
  func metadata(at instant: Int64, _ random: inout SplitMix64) -> FreshnessMetadata {
    var metadata = FreshnessMetadata(mode: .full, status: .applied)
    if case .degraded(let mode, let status) = weather {
      metadata.mode = mode
      metadata.status = status
      if status == nil {
        metadata.appliedFlag = random.oneIn(2)
        metadata.reason = random.oneIn(2) ? .partial : .missingCache
      }
    }
    guard faults.has(.rhythm) || faults.has(.hints) else {
      if random.oneIn(3) {
        metadata.cacheAge = Instant.Duration(milliseconds: random.below(40_000))
      }
      return metadata
    }
    metadata.serverTime = WallTime(milliseconds: clock + instant)
    if faults.has(.rhythm) {
      metadata.fetchedAt = WallTime(milliseconds: clock + producer.madeAt)
      if random.oneIn(20) { metadata.transit = Instant.Duration(milliseconds: random.below(4_000)) }
      travel(&metadata, &random)
      // A server whose only clock is `Date`.
      if faults.has(.jumps), metadata.cacheAge == nil,
        let served = metadata.serverTime?.milliseconds
      {
        metadata.serverTime = WallTime(milliseconds: served - served % 1_000)
        metadata.truncation = FreshnessMetadata.truncationOfDate
      }
    }
    return metadata
  }

  /// Applies the effects of edges and intermediate caches to a response with a source time.
  private func travel(_ metadata: inout FreshnessMetadata, _ random: inout SplitMix64) {
    guard let made = metadata.fetchedAt?.milliseconds,
      let served = metadata.serverTime?.milliseconds
    else { return }
    if faults.has(.edges), random.oneIn(6) {
      // An edge that does not have the newest data yet.
      metadata.fetchedAt = WallTime(milliseconds: made - random.below(60_000))
    } else if faults.has(.caches), random.oneIn(4) {
      // A cache that does not report its age: the response looks as young as when it was made.
      metadata.serverTime = WallTime(milliseconds: max(served - random.below(20_000), made))
    }
  }

  /// Returns what a response says about the next change.
  func hints(at instant: Int64) -> Hints {
    guard faults.has(.hints) else { return Hints() }
    let next = producer.nextAt
    if epoch % 4 == 0 { return Hints(maxAge: Instant.Duration(milliseconds: next - instant)) }
    return Hints(
      nextExpectedAt: WallTime(milliseconds: clock + next),
      spread: epoch % 2 == 0 ? Instant.Duration(milliseconds: period / 4) : nil
    )
  }
}
