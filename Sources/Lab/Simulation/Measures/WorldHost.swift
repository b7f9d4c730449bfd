import Freshness
import Hashing

/// One machine in a world of R31: a correct host, a path with caches, a server that states what it
/// knows.
struct WorldHost<M: Machine> {
  private var machine: M
  private let world: ProducerWorld
  /// When each publication was made, and when the server had it.
  private let made: [Int64]
  private let had: [Int64]
  private let states: Bool
  private var random: SplitMix64
  private var now: Int64 = 0
  private var arrival: (at: Int64, ticket: Ticket, answer: Answer, number: Int)?
  /// When each cache took its copy, and where in its lifetime a warm one begins.
  private var filled: [Int64?]
  private let starts: [Int64]
  /// The random numbers of the person, the same for every policy.
  private var person: SplitMix64
  /// When the person refreshes next.
  private var nextRefresh = Int64.max
  /// When each request was sent.
  private(set) var requests: [Int64] = []
  /// Every newer publication on screen: the time, and its number.
  private var screens: [(at: Int64, number: Int)] = []

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - machine: The machine.
  ///   - world: Its world.
  ///   - states: Whether the server states the next change.
  ///   - phase: The position of the producer's start in its period, in permille.
  ///   - end: The end of publishing, in milliseconds.
  ///   - seed: The seed, which determines everything.
  init(
    _ machine: M,
    _ world: ProducerWorld,
    states: Bool,
    phase: Int64,
    until end: Int64,
    seed: UInt64
  ) {
    self.machine = machine
    self.world = world
    self.states = states
    // The same world for every policy: the client's samples must not change it.
    var maker = SplitMix64(seed: seed)
    made = world.publications(until: end, phase: phase, &maker)
    var latest = Int64.min
    var had: [Int64] = []
    for time in made {
      let delay = world.delay > 0 ? maker.exponential(mean: world.delay) : 0
      let lag = maker.between(world.lag.lowerBound, world.lag.upperBound) + delay
      latest = max(latest, time + lag)
      had.append(latest)
    }
    self.had = world.server?.had(made, &maker) ?? had
    let edges = world.caches?.edges ?? 0
    let lifetime = world.caches?.lifetime ?? 0
    starts = (0..<edges).map { _ in maker.below(lifetime) }
    filled = Array(repeating: nil, count: edges)
    random = maker
    person = SplitMix64(seed: ~seed)
    if world.refreshes > 0 { nextRefresh = person.exponential(mean: world.refreshes) }
  }

  /// Runs from the start to an instant.
  mutating func run(until end: Int64) {
    send(.started)
    while true {
      let next = min(arrival?.at ?? .max, alarm, nextRefresh)
      guard next <= end else { return }
      now = max(now, next)
      if let requestEnded = arrival, requestEnded.at == next {
        arrival = nil
        if requestEnded.number > (screens.last?.number ?? -1) {
          screens.append((now, requestEnded.number))
        }
        send(.answered(requestEnded.ticket, requestEnded.answer))
      } else if next == nextRefresh {
        nextRefresh += 1 + person.exponential(mean: world.refreshes)
        send(.refreshRequested(.person))
      } else {
        send(.woke)
      }
    }
  }

  /// When the timer fires.
  private var alarm: Int64 {
    guard let alarm = machine.alarm?.milliseconds else { return .max }
    return world.wakesOnSeconds ? (alarm / 1_000 + 1) * 1_000 : alarm
  }

  private mutating func send(_ event: Event) {
    let effects = machine.handle(event, at: now.instant, random: random.randomSample())
    if effects.cancel != nil { arrival = nil }
    if let request = effects.request { serve(request) }
  }

  // MARK: The way

  private mutating func serve(_ request: Request) {
    requests.append(now)
    let there = random.between(world.there.lowerBound, world.there.upperBound)
    let stall = world.server?.stall(&random) ?? 0
    let back = random.between(world.back.lowerBound, world.back.upperBound) + stall
    let reached = now + there
    let copied = copy(at: reached)
    let number = newest(at: copied)
    var metadata = FreshnessMetadata(
      serverTime: WallTime(milliseconds: Self.epoch + copied),
      fetchedAt: WallTime(milliseconds: Self.epoch + made[number])
    )
    // `Age` is in whole seconds.
    if world.caches?.statesAge ?? false { metadata.transit = .seconds((reached - copied) / 1_000) }
    var hints = Hints()
    if states, let next = stated(number), next > copied {
      hints.nextExpectedAt = WallTime(milliseconds: Self.epoch + next)
    }
    let content = Content(Revision(Int64(number)), hasRealtime: true)
    var answer = Answer(.content(content), status: 200, metadata: metadata, hints: hints)
    if let server = world.server { answer = self.answer(of: server, request, number, at: copied) }
    arrival = (reached + back, request.ticket, answer, number)
  }

  /// Returns the answer of a deployed server: without a body if the client has the publication.
  private func answer(
    of server: DeployedServer,
    _ request: Request,
    _ number: Int,
    at now: Int64
  ) -> Answer {
    let isUnchanged = request.validator == Validator(Int64(number))
    let stamp = server.stamp(made[number])
    // A 304 has `Date` only; its fields state the age and the time of the next change.
    let served = isUnchanged || !server.datesSource ? server.stamp(now) : now
    var metadata = FreshnessMetadata(serverTime: WallTime(milliseconds: Self.epoch + served))
    if server.datesSource {
      metadata.fetchedAt = WallTime(milliseconds: Self.epoch + stamp)
      metadata.cacheAge = .milliseconds(max(now - stamp, 0))
    }
    var hints = Hints()
    if states, let next = server.announced(number, made: made, had: had, at: now) {
      if isUnchanged || !server.datesSource {
        hints.maxAge = .milliseconds(next - now)
      } else {
        hints.nextExpectedAt = WallTime(milliseconds: Self.epoch + next)
      }
    }
    if isUnchanged { return Answer(.unchanged, status: 304, metadata: metadata, hints: hints) }
    let content = Content(
      Revision(Int64(number)),
      validator: Validator(Int64(number)),
      hasRealtime: true
    )
    return Answer(.content(content), status: 200, metadata: metadata, hints: hints)
  }

  private static var epoch: Int64 { 1_700_000_000_000 }

  /// Returns when the copy that answers a request left the server.
  private mutating func copy(at instant: Int64) -> Int64 {
    guard let caches = world.caches else { return instant }
    let edge = Int(random.below(Int64(caches.edges)))
    if caches.isWarm {
      let since = (instant - starts[edge]) % caches.lifetime
      return instant - (since < 0 ? since + caches.lifetime : since)
    }
    if let old = filled[edge], instant - old < caches.lifetime { return old }
    filled[edge] = instant
    return instant
  }

  private func newest(at instant: Int64) -> Int {
    var low = 0
    var high = had.count
    while low < high {
      let middle = (low + high) / 2
      if had[middle] <= instant { low = middle + 1 } else { high = middle }
    }
    return max(low - 1, 0)
  }

  /// Returns what a server states: the median of its last distances after the newest source time,
  /// plus a delay that nine of ten of the last twenty kept.
  private func stated(_ number: Int) -> Int64? {
    guard number > 0 else { return nil }
    let distances = (max(1, number - 4)...number).map { made[$0] - made[$0 - 1] }.sorted()
    let period = distances[(distances.count - 1) / 2]
    let late = (max(1, number - 19)...number)
      .map { had[$0] - made[$0 - 1] - period }
      .sorted()
    return made[number] + period + max(late[late.count * 9 / 10], 0)
  }

  // MARK: What it came to

  /// Returns the times from source time to screen of all publications within a period; one that was
  /// superseded before it was shown counts until a newer one is on screen.
  func delays(from start: Int64, until end: Int64) -> [Int64] {
    var delays: [Int64] = []
    var screen = 0
    for (number, time) in made.enumerated() where time >= start && time < end {
      while screen < screens.count, screens[screen].number < number { screen += 1 }
      guard screen < screens.count else { break }
      // Source times may be ahead of the clock.
      delays.append(screens[screen].at - min(time, had[number]))
    }
    return delays
  }
}
