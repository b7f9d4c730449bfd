import Freshness
import FreshnessWire
import Hashing

/// Random values of the machine's types, the same for the same seed.
struct RandomSource {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func below(_ bound: Int) -> Int { generator.below(bound) }

  mutating func chance(_ one: Int, in many: Int) -> Bool { below(many) < one }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  mutating func flag() -> Bool { next() & 1 == 1 }

  mutating func randomSample() -> RandomSample { generator.randomSample() }

  // MARK: Integers within the wire's limits, the limits themselves among them

  mutating func number() -> Int64 {
    switch below(8) {
    case 0: pick([-Wire.limit, Wire.limit, 0, -1, 1])
    case 1: Int64(bitPattern: next()) >> 11
    default: Int64(below(100_000)) - 20_000
    }
  }

  mutating func positive() -> Int64 { max(number(), -number(), 0) }

  mutating func maybe<Value>(_ make: (inout RandomSource) -> Value) -> Value? {
    flag() ? make(&self) : nil
  }

  mutating func span() -> Instant.Duration { Instant.Duration(milliseconds: positive()) }

  mutating func told() -> Instant.Duration { Instant.Duration(milliseconds: number()) }

  mutating func wallTime() -> WallTime { WallTime(milliseconds: number()) }

  mutating func instant() -> Instant { Instant(milliseconds: number()) }

  // MARK: Parts of messages

  mutating func context() -> Context { Context(question: number(), identity: number()) }

  mutating func ticket() -> Ticket { Ticket(generation: number(), context: context()) }

  mutating func refresh() -> RefreshRequest {
    let origins: [RefreshRequest.Reason] = [.prefetch, .schedule, .catchUp, .change, .person]
    return RefreshRequest(
      pick(origins),
      isForced: flag(),
      isUnconditional: flag(),
      showsLoading: flag()
    )
  }

  mutating func outcome() -> Outcome {
    switch below(12) {
    case 0: .unchanged
    case 1: .refused
    case 2: .unauthorised
    case 3: .gone
    case 4: .throttled(maybe { $0.flag() ? .seconds($0.number()) : .date($0.wallTime()) })
    case 5: .serverError
    case 6: .timedOut
    case 7: .unreachable
    case 8: .undecodable(reason: Int32(truncatingIfNeeded: next()))
    case 9: .cancelled
    default:
      .content(
        Content(
          Revision(number()),
          validator: maybe { Validator($0.number()) },
          hasRealtime: flag(),
          fulfilsAction: flag()
        )
      )
    }
  }

  static let statuses: [RealtimeStatus] = [
    .applied, .partial, .skippedBudget, .disabled, .missingCache, .staleCache, .guardedError,
    .unknown,
  ]
  static let modes: [ResponseMode] = [
    .full, .degradedStatic, .staleCacheFallback, .staticTimeoutFallback, .unknown,
  ]

  mutating func metadata() -> FreshnessMetadata {
    FreshnessMetadata(
      serverTime: maybe { $0.wallTime() },
      truncation: told(),
      fetchedAt: maybe { $0.wallTime() },
      cacheAge: maybe { $0.told() },
      transit: told(),
      mode: maybe { $0.pick(Self.modes) },
      status: maybe { $0.pick(Self.statuses) },
      appliedFlag: maybe { $0.flag() },
      reason: maybe { $0.pick(Self.statuses) }
    )
  }

  mutating func answer() -> Answer {
    Answer(
      outcome(),
      status: Int32(truncatingIfNeeded: next()),
      bytes: min(positive(), Wire.mostBytes),
      metadata: metadata(),
      hints: Hints(
        nextExpectedAt: maybe { $0.wallTime() },
        maxAge: maybe { $0.told() },
        spread: maybe { $0.told() }
      ),
      activity: maybe { $0.flag() ? .active : .quiet },
      deviceTime: maybe { $0.wallTime() },
      delay: maybe { $0.span() },
      decoding: flag() ? span() : .zero
    )
  }

  // MARK: Events and policies

  /// The number of kinds of event.
  static let eventKinds = 27

  mutating func event(kind: Int) -> Event {
    switch kind {
    case 0: .started
    case 1: .stopped
    case 2: .paceRequested(maybe { $0.span() })
    case 3: .prefetch
    case 4: .woke
    case 5: .slept
    case 6: .lifecycle(pick([.foreground, .background, .suspended]))
    case 7: .focused
    case 8: .connectivity(pick([.online, .metered, .offline]))
    case 9: .refreshRequested(refresh())
    case 10: .contextChanged(context())
    case 11: .activity(flag() ? .active : .quiet)
    case 12: .acted
    case 13: .fulfilled
    case 14: .wrote(Revision(number()))
    case 15: .evicted
    case 16: .answered(ticket(), answer())
    case 17: .streamOpened(isResumed: flag())
    case 18: .streamHeard
    case 19: .streamChanged
    case 20: .streamDelivered(context(), answer())
    case 21: .streamGap
    case 22: .restored(Revision(number()), age: span(), sourceTime: maybe { $0.wallTime() })
    case 23:
      .restrained(
        Restraint(
          notBefore: maybe { $0.instant() },
          quietUntil: maybe { $0.instant() },
          leastInterval: maybe { $0.span() },
          sharedUntil: maybe { $0.instant() }
        )
      )
    case 24: .notHeld(ticket())
    case 25: .queued(ticket())
    default: .streamLost
    }
  }

  mutating func jitter() -> Jitter {
    switch below(6) {
    case 0: .none
    case 1: .signed(span(), span())
    case 2: .within(span())
    case 3: .share(Int64(below(1_000_001)))
    case 4: .above(Int64(below(1_000_001)))
    default: .full
    }
  }

  /// Returns any policy that the wire can carry.
  mutating func policy() -> Policy {
    var policy = Policy(every: span(), jitter: jitter())
    policy.recent = span()
    policy.recentFor = span()
    policy.idle = span()
    policy.background = maybe { $0.span() }
    policy.leastInterval = span()
    policy.leastWait = span()
    policy.burst = span()
    policy.spread = span()
    policy.focusDebounce = span()
    policy.impatience = Int32(below(1 << 31))
    policy.timeout = span()
    policy.retryDelay = maybe { $0.span() }
    policy.ladder = (0..<below(chance(1, in: 4) ? 65 : 6)).map { _ in span() }
    policy.ladderJitter = jitter()
    policy.retryAfterCap = span()
    policy.recheck = span()
    policy.recheckGone = span()
    policy.driftFloor = span()
    policy.driftPercent = Int64(below(1_000_001))
    policy.stallFloor = span()
    policy.stallFactor = positive()
    policy.rescueCooldown = span()
    policy.unchangedLimit = maybe { Int32($0.below(1 << 31)) }
    policy.unchangedFor = maybe { $0.span() }
    policy.downgradeProtection = maybe { $0.span() }
    policy.clockTolerance = span()
    policy.degradedRearm = span()
    policy.badgePartialAfter = span()
    policy.badgeUnavailableAfter = span()
    policy.alignment = maybe {
      Policy.Alignment(delay: $0.span(), spread: $0.span(), slack: $0.span(), tolerance: $0.span())
    }
    policy.longPoll = maybe { $0.span() }
    policy.push = maybe { generator in
      Policy.Push(
        heartbeat: generator.span(),
        watchdogPercent: Int64(generator.below(1_000_001)),
        openTimeout: generator.span(),
        safetyPoll: generator.span(),
        leastGap: generator.span(),
        stableAfter: generator.span()
      )
    }
    policy.prefetches = flag()
    policy.ringCapacity = Int32(below(1 << 31))
    return policy
  }
}
