import Freshness
import Hashing

/// Many clients of one server that all started at the same instant, and one producer (R31).
struct CrowdMeasure: Sendable {
  var clients: Int
  /// The requests of the busiest second, and the mean of all seconds, in the second minute.
  var peak: Int64
  var total: Int64

  /// The peak in hundredths of the mean.
  var ratio: Int64 { total == 0 ? 0 : peak * 100 * Self.seconds / total }

  private static let seconds: Int64 = 60
  private static let roundTrip: Int64 = 150

  /// Runs all clients in one schedule for two minutes.
  ///
  /// - Parameters:
  ///   - clients: The number of clients.
  ///   - policy: Their constants.
  ///   - spread: The window over which the server asks its clients to spread, if any.
  ///   - seed: The seed, which determines everything.
  init(clients: Int, _ policy: Policy, spread: Instant.Duration?, seed: UInt64) {
    self.clients = clients
    var random = SplitMix64(seed: seed)
    let period = RhythmMeasure.period
    let publications = Publications(every: period, phase: 4_321, until: 240_000)
    var schedule = MachineSchedule()
    // All responses take equally long: the oldest request is answered first.
    var underway: [(at: Int64, key: MachineSchedule.Key, ticket: Ticket)] = []
    var first = 0
    var seconds = [Int64](repeating: 0, count: Int(Self.seconds))
    func sent(_ effects: Effects?, _ key: MachineSchedule.Key, at now: Int64) {
      guard let request = effects?.request else { return }
      underway.append((now + Self.roundTrip, key, request.ticket))
      let second = now / 1_000 - 60
      if second >= 0, second < Self.seconds { seconds[Int(second)] += 1 }
    }
    for _ in 0..<clients {
      let machine = RefreshMachine(policy: policy, context: Context(question: 1))
      let key = schedule.insert(machine)
      sent(
        schedule.handle(.started, for: key, at: .start, random: random.randomSample()),
        key,
        at: 0
      )
    }
    var now: Int64 = 0
    while now < 120_000 {
      let alarm = schedule.alarm?.milliseconds ?? .max
      if first < underway.count, underway[first].at <= alarm {
        let next = underway[first]
        first += 1
        now = next.at
        let answer = Self.answer(publications, at: now - Self.roundTrip / 2, spread)
        let event = Event.answered(next.ticket, answer)
        sent(
          schedule.handle(event, for: next.key, at: now.instant, random: random.randomSample()),
          next.key,
          at: now
        )
      } else {
        guard let key = schedule.due(at: max(alarm, now).instant) else { break }
        now = max(alarm, now)
        sent(
          schedule.handle(.woke, for: key, at: now.instant, random: random.randomSample()),
          key,
          at: now
        )
      }
    }
    peak = seconds.max() ?? 0
    total = seconds.reduce(0, +)
  }

  private static func answer(
    _ publications: Publications,
    at served: Int64,
    _ spread: Instant.Duration?
  ) -> Answer {
    let number = publications.newest(at: served)
    let metadata = FreshnessMetadata(
      serverTime: WallTime(milliseconds: served),
      fetchedAt: WallTime(milliseconds: publications.times[number])
    )
    let next = publications.next(after: served).map { WallTime(milliseconds: $0) }
    return Answer(
      .content(Content(Revision(Int64(number)), hasRealtime: true)),
      metadata: metadata,
      hints: Hints(nextExpectedAt: next, spread: spread)
    )
  }
}
