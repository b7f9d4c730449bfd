import Freshness
import Hashing

/// One machine in a world without faults: a correct host, a steady network, an honest server.
///
/// A request takes half the round trip to the server and half back. A full body has 20,000 bytes
/// and "not modified" 200, as the table of seed 003 assumes.
struct CleanHost: Sendable {
  static let bodyBytes: Int64 = 20_000
  static let unchangedBytes: Int64 = 200

  /// What the server says about its rhythm.
  enum Speech: Sendable {
    /// Nothing.
    case silent
    /// When the data was made (`rtFetchedAt`).
    case made
    /// That, and when the next is expected (`nextExpectedAt`).
    case expected
  }

  var machine: RefreshMachine
  var now: Int64 = 0
  /// When each request was sent.
  var requests: [Int64] = []
  /// Every response: when it arrived, and whether it was "not modified".
  var answers: [(at: Int64, isUnchanged: Bool, bytes: Int64)] = []
  /// Every change of the screen: the time, and the publication it shows.
  var screens: [(at: Int64, number: Int)] = []
  var publications: Publications
  var speech: Speech = .silent
  var roundTrip: Int64 = 200
  /// The period in which the server is unreachable.
  var outage: Range<Int64>?
  private var random: SplitMix64
  private var arrival: (at: Int64, ticket: Ticket, answer: Answer)?

  init(_ policy: Policy, publications: Publications = .once, seed: UInt64) {
    machine = RefreshMachine(policy: policy, context: Context(question: 1))
    self.publications = publications
    random = SplitMix64(seed: seed)
  }

  /// Passes an event to the machine at the current instant and carries out its effects.
  mutating func send(_ event: Event) {
    let effects = machine.handle(event, at: now.instant, random: random.randomSample())
    if effects.cancel == arrival?.ticket { arrival = nil }
    if let request = effects.request { serve(request) }
  }

  /// Lets time pass.
  mutating func run(until end: Int64) {
    while true {
      let alarm = machine.alarm?.milliseconds ?? .max
      if let next = arrival, next.at <= alarm {
        guard next.at <= end else { break }
        now = next.at
        arrival = nil
        receive(next.ticket, next.answer)
      } else {
        guard alarm <= end else { break }
        now = max(now, alarm)
        send(.woke)
      }
    }
    now = max(now, end)
  }

  private mutating func receive(_ ticket: Ticket, _ answer: Answer) {
    let before = machine.snapshot?.revision
    if answer.outcome != .unreachable {
      answers.append((now, answer.outcome == .unchanged, answer.bytes))
    }
    send(.answered(ticket, answer))
    if let after = machine.snapshot?.revision, after != before {
      screens.append((now, Int(after.number)))
    }
  }

  private mutating func serve(_ request: Request) {
    var served = now + roundTrip / 2
    if let wait = request.longPoll, request.validator?.number == number(at: served) {
      // The server responds when something changes or the wait is over (RFC 7240).
      let change = publications.next(after: served) ?? .max
      served = min(change, served + wait.milliseconds)
    }
    requests.append(now)
    let at = served + roundTrip - roundTrip / 2
    if let outage, outage.contains(served) {
      arrival = (at, request.ticket, Answer(.unreachable))
      return
    }
    arrival = (at, request.ticket, answer(request, at: served))
  }

  private func number(at instant: Int64) -> Int64 { Int64(publications.newest(at: instant)) }

  private func answer(_ request: Request, at served: Int64) -> Answer {
    let number = number(at: served)
    let epoch: Int64 = 1_700_000_000_000
    var metadata = FreshnessMetadata()
    var hints = Hints()
    if speech != .silent {
      metadata.serverTime = WallTime(milliseconds: epoch + served)
      metadata.fetchedAt = WallTime(milliseconds: epoch + publications.times[Int(number)])
    }
    if speech == .expected, let next = publications.next(after: served) {
      hints.nextExpectedAt = WallTime(milliseconds: epoch + next)
    }
    if request.validator == Validator(number) {
      return Answer(
        .unchanged,
        status: 304,
        bytes: Self.unchangedBytes,
        metadata: metadata,
        hints: hints
      )
    }
    let content = Content(Revision(number), validator: Validator(number), hasRealtime: true)
    return Answer(
      .content(content),
      status: 200,
      bytes: Self.bodyBytes,
      metadata: metadata,
      hints: hints
    )
  }

  // MARK: What it came to

  /// Returns the times from publication to screen of all publications within a period.
  ///
  /// A publication that was superseded before it was shown counts until a newer one is on screen.
  func delays(from start: Int64, until end: Int64) -> [Int64] {
    var delays: [Int64] = []
    var screen = 0
    for (number, made) in publications.times.enumerated() where made >= start && made < end {
      while screen < screens.count, screens[screen].number < number { screen += 1 }
      guard screen < screens.count else { break }
      delays.append(screens[screen].at - made)
    }
    return delays
  }

  /// Returns the age of the data on screen, sampled every 997 ms within a period.
  func ages(from start: Int64, until end: Int64) -> [Int64] {
    var ages: [Int64] = []
    var screen = 0
    for appearance in stride(from: start, to: end, by: 997) {
      while screen + 1 < screens.count, screens[screen + 1].at <= appearance { screen += 1 }
      guard screen < screens.count, screens[screen].at <= appearance else { continue }
      ages.append(appearance - publications.times[screens[screen].number])
    }
    return ages
  }

  /// Returns the number of polls until every later publication is on screen within 2.5 s; `nil` if
  /// publications are also late in the last tenth of the run.
  func pollsUntilInStep(until end: Int64) -> Int64? {
    var lastLate: Int64 = -1
    var screen = 0
    for (number, made) in publications.times.enumerated() where made >= 0 && made < end {
      while screen < screens.count, screens[screen].number < number { screen += 1 }
      guard screen < screens.count else { break }
      if screens[screen].at - made >= 2_500 { lastLate = made }
    }
    guard lastLate < end / 10 * 9 else { return nil }
    return Int64(requests.filter { $0 <= lastLate }.count)
  }
}
