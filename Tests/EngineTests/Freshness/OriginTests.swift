import Freshness
import Hashing
import Testing

/// R39: the state of an origin.
@Suite("Back-pressure by origin")
struct OriginTests {
  private struct Admitted: Equatable {
    var number: Int64?
    var isHeld = false

    init(_ number: Int64, isHeld: Bool) { (self.number, self.isHeld) = (number, isHeld) }

    init(_ admission: Origin.Admission?) {
      number = admission?.number
      isHeld = admission?.isHeld ?? false
    }
  }

  private func origin(out numbers: [Int64], of limits: Origin.Limits = Origin.Limits()) -> Origin {
    var origin = Origin(limits: limits)
    for number in numbers { origin.ask(number, priority: .normal) }
    while origin.admit(at: .start) != nil {}
    return origin
  }

  @Test
  func `No more requests are out than there are places, and people come first`() {
    var origin = origin(out: Array(1...9))
    #expect(origin.requests == 5 && origin.queue == 4)
    origin.ask(10, priority: .high)
    origin.ask(11, priority: .high)
    origin.ask(12, priority: .low)
    // The sixth place is that of people.
    #expect(origin.admit(at: .start)?.number == 10 && origin.admit(at: .start) == nil)
    origin.ended(1, .unchanged, at: .start)
    #expect(origin.admit(at: .start)?.number == 11 && origin.admit(at: .start) == nil)
    origin.withdraw(7)
    origin.withdraw(2)
    #expect(origin.admit(at: .start) == nil)
    origin.withdraw(3)
    #expect(origin.admit(at: .start)?.number == 6 && origin.admit(at: .start) == nil)
    for number in Int64(4)...6 { origin.ended(number, .unchanged, at: .start) }
    #expect(origin.admit(at: .start)?.number == 8 && origin.admit(at: .start)?.number == 9)
    #expect(origin.admit(at: .start)?.number == 12 && origin.admit(at: .start) == nil)
    #expect(origin.queue == 0)
  }

  @Test
  func `A Retry-After binds everybody, the longest one counts, and it is capped`() {
    var origin = origin(out: [1, 2, 3])
    let now = Instant(milliseconds: 5_000)
    origin.ended(1, .throttled(.seconds(200)), at: now)
    #expect(origin.restraint.notBefore == now + .seconds(200))
    origin.ended(2, .throttled(.seconds(10)), at: now)
    #expect(origin.restraint.notBefore == now + .seconds(200))
    origin.ended(3, .throttled(.seconds(3_600)), at: now)
    #expect(origin.restraint.notBefore == now + .minutes(5))
  }

  @Test
  func `A date is measured with the server's clock, and is a minute without it`() {
    let date = RetryHint.date(WallTime(milliseconds: 1_700_000_030_000))
    var told = origin(out: [1])
    told.ended(
      1,
      .throttled(date),
      serverTime: WallTime(milliseconds: 1_700_000_000_000),
      at: .start
    )
    #expect(told.restraint.notBefore == Instant.start + .seconds(30))
    var silent = origin(out: [1])
    silent.ended(1, .throttled(date), at: .start)
    #expect(silent.restraint.notBefore == Instant.start + .minutes(1))
  }

  @Test(arguments: [Outcome.serverError, .timedOut, .unreachable, .throttled(nil)])
  func `Three failures in a row, of any resources, leave one place and climb the ladder`(
    outcome: Outcome
  ) {
    var origin = origin(out: Array(1...5))
    origin.ask(6, priority: .high)
    #expect(origin.admit(at: .start)?.number == 6)
    var now = Instant.start
    origin.ended(1, outcome, at: now)
    origin.ended(2, outcome, at: now)
    #expect(origin.restraint.quietUntil == nil && origin.places == 6)
    for (number, wait) in [(Int64(3), Int64(2)), (4, 5), (5, 10), (6, 20)] {
      now = now + .seconds(60)
      origin.ended(number, outcome, at: now)
      #expect(origin.restraint.quietUntil == now + .seconds(wait) && origin.places == 1)
    }
    for number in Int64(7)...9 { origin.ask(number, priority: .normal) }
    #expect(origin.admit(at: now + .milliseconds(19_999)) == nil)
    now = now + .seconds(20)
    #expect(origin.admit(at: now)?.number == 7 && origin.admit(at: now) == nil)
    // Any response at all shows that it is up again.
    origin.ended(7, .refused, at: now)
    #expect(origin.restraint.quietUntil == nil && origin.places == 6)
    #expect(origin.admit(at: .start)?.number == 8 && origin.admit(at: .start)?.number == 9)
  }

  @Test
  func `A cancelled request says nothing of the origin`() {
    var origin = origin(out: [1, 2, 3, 4])
    for number in Int64(1)...4 { origin.ended(number, .cancelled, at: .start) }
    #expect(origin.restraint == Restraint() && origin.requests == 0 && origin.failures == 0)
  }

  @Test
  func `What is left of a rate limit is shared by the resources`() {
    var origin = origin(out: [1, 2, 3])
    let limit = RateLimit(remaining: 10, reset: .seconds(60))
    origin.ended(1, .unchanged, rateLimit: limit, resources: 5, at: .start)
    // The fields count whole seconds, and one more is granted.
    #expect(origin.restraint.leastInterval == .milliseconds(30_500))
    let spent = RateLimit(remaining: 0, reset: .seconds(60))
    origin.ended(2, .unchanged, rateLimit: spent, resources: 4, at: .start)
    // Once it has reset, not all go at once.
    #expect(origin.restraint.leastInterval == .milliseconds(30_500))
    #expect(origin.restraint.sharedUntil == Instant.start + .seconds(61))
    #expect(origin.restraint.notBefore == Instant.start + .seconds(61))
  }

  @Test
  func `A rate limit lasts until it resets, whatever responses leave out`() {
    var origin = origin(out: [1, 2, 3, 4, 5, 6])
    let limit = RateLimit(remaining: 10, reset: .seconds(60))
    origin.ended(1, .unchanged, rateLimit: limit, resources: 5, at: .start)
    origin.ended(2, .unchanged, resources: 5, at: .start + .seconds(1))
    origin.ended(3, .unreachable, resources: 5, at: .start + .milliseconds(60_999))
    #expect(origin.restraint.leastInterval == .milliseconds(30_500))
    let reset = RateLimit(remaining: 100, reset: .zero)
    var other = origin
    other.ended(4, .unchanged, rateLimit: reset, resources: 5, at: .start + .seconds(50))
    // Of a window that is nearly over: five resources share 101 requests in a second.
    #expect(other.restraint.leastInterval == .milliseconds(49))
    origin.ended(4, .unchanged, resources: 5, at: .start + .seconds(61))
    #expect(origin.restraint.leastInterval == nil && origin.restraint.sharedUntil == nil)
    origin.ended(5, .unchanged, rateLimit: limit, resources: 1, at: .start + .seconds(70))
    #expect(origin.restraint.leastInterval == .milliseconds(6_100))
    // Of the same window, in any order: what leaves least counts.
    let fewer = RateLimit(remaining: 5, reset: .seconds(59))
    origin.ended(5, .unchanged, rateLimit: fewer, resources: 1, at: .start + .milliseconds(70_500))
    #expect(origin.restraint.leastInterval == .seconds(12))
    let overtaken = RateLimit(remaining: 7, reset: .seconds(59))
    origin.ended(5, .unchanged, rateLimit: overtaken, resources: 1, at: .start + .seconds(71))
    #expect(origin.restraint.leastInterval == .seconds(12))
    #expect(origin.restraint.sharedUntil == Instant.start + .seconds(131))
    // As far away as it may be.
    let far = RateLimit(remaining: 1, reset: .minutes(60))
    origin.ended(6, .unchanged, rateLimit: far, resources: 1, at: .start + .seconds(80))
    origin.ended(7, .unchanged, at: .start + .seconds(379))
    #expect(origin.restraint.leastInterval == .minutes(5))
    origin.ended(8, .unchanged, at: .start + .seconds(380))
    #expect(origin.restraint.leastInterval == nil)
  }

  @Test
  func `Windows as short as the unit in which they are told are shared by what they have at most`()
  {
    var origin = origin(out: [1, 2, 3])
    func told(_ remaining: Int64, _ reset: Int64, at milliseconds: Int64) -> Instant.Duration? {
      let limit = RateLimit(remaining: remaining, reset: .seconds(reset))
      let now = Instant(milliseconds: milliseconds)
      origin.ended(1, .unchanged, rateLimit: limit, resources: 30, at: now)
      return origin.restraint.leastInterval
    }
    #expect(told(4, 1, at: 0) == .seconds(6))
    #expect(origin.restraint.sharedUntil == .start + .seconds(1))
    #expect(told(9, 1, at: 500) == .seconds(3))
    #expect(told(1, 1, at: 600) == .seconds(3) && origin.restraint.notBefore == nil)
    #expect(told(0, 1, at: 700) == .seconds(3))
    #expect(origin.restraint.notBefore == Instant(milliseconds: 1_700))
    #expect(told(9, 2, at: 3_000) == .seconds(6))
    // A server that says 0 truncates fractions of seconds.
    #expect(told(9, 0, at: 4_500) == .seconds(9))
    #expect(origin.restraint.sharedUntil == Instant(milliseconds: 5_500))
    // A long window ends what was learned of short ones.
    #expect(told(60, 59, at: 6_000) == .seconds(30))
    #expect(told(0, 1, at: 67_600) == .seconds(60))
    #expect(told(.max, 1, at: 70_000) == nil)
  }

  @Test
  func `A Retry-After says when to ask again, whenever its limit resets`() {
    var origin = origin(out: [1, 2])
    let spent = RateLimit(remaining: 0, reset: .seconds(60))
    origin.ended(1, .throttled(.seconds(2)), rateLimit: spent, resources: 5, at: .start)
    #expect(origin.restraint.notBefore == .start + .seconds(2))
    #expect(origin.restraint.sharedUntil == .start + .seconds(61))
    origin.ended(2, .throttled(nil), rateLimit: spent, resources: 5, at: .start)
    #expect(origin.restraint.notBefore == .start + .seconds(61))
  }

  @Test
  func `Every request is sent once, whatever happens in between`() {
    var generator = SplitMix64(seed: 39)
    var origin = Origin()
    var waiting: Set<Int64> = []
    var people: Set<Int64> = []
    var out: Set<Int64> = []
    var held: Set<Int64> = []
    var longPolls: Set<Int64> = []
    var mostHeld = 0
    var numbers: Int64 = 0
    let priorities: [Request.Priority] = [.low, .normal, .high]
    let outcomes: [Outcome] = [.unchanged, .serverError, .throttled(.seconds(9)), .cancelled]
    for step in 0..<20_000 {
      let now = Instant(milliseconds: Int64(step) * 100)
      switch generator.next() % 4 {
      case 0, 1:
        numbers += 1
        let isLongPoll = generator.next() % 3 == 0
        let priority = priorities[Int(generator.next() % 3)]
        origin.ask(numbers, priority: priority, isLongPoll: isLongPoll)
        if priority == .high { people.insert(numbers) }
        waiting.insert(numbers)
        if isLongPoll { longPolls.insert(numbers) }
      case 2:
        guard !out.isEmpty else { break }
        let number = out.sorted()[Int(generator.next() % UInt64(out.count))]
        out.remove(number)
        origin.ended(number, outcomes[Int(generator.next() % 4)], at: now)
      default:
        let all = out.union(waiting).sorted()
        guard !all.isEmpty else { break }
        let number = all[Int(generator.next() % UInt64(all.count))]
        out.remove(number)
        waiting.remove(number)
        origin.withdraw(number)
      }
      held.formIntersection(out)
      while let admission = origin.admit(at: now) {
        let number = admission.number
        #expect(waiting.remove(number) != nil && out.insert(number).inserted)
        if admission.isHeld { held.insert(number) }
        #expect(held.isSubset(of: longPolls) && held.count <= 3)
        mostHeld = max(mostHeld, held.count)
        // Held ones from before the origin began to fail do not count.
        #expect(out.count <= 6 && out.count - held.count <= origin.places)
      }
      let back = origin.takeBack(at: now)
      if !back.isEmpty {
        #expect(origin.restraint.notBefore ?? now > now || people.isDisjoint(with: back))
      }
      waiting.subtract(back)
      #expect(origin.requests == out.count && origin.queue == waiting.count)
      #expect(origin.held == held.count)
      // Whatever the server holds, the others are sent as long as a place is free; the last one is kept
      // for people.
      let free = origin.places - (out.count - held.count)
      #expect(waiting.isEmpty || free <= 1)
      #expect(waiting.isDisjoint(with: people) || free <= 0)
    }
    #expect(mostHeld == 3)
  }

  @Test
  func `An event stream takes the place of a held request, and is refused if there is none`() {
    var origin = Origin()
    #expect(origin.open(1) && origin.open(2) && origin.open(3) && !origin.open(4))
    #expect(origin.held == 3 && origin.places == 3)
    origin.ask(5, priority: .normal, isLongPoll: true)
    #expect(Admitted(origin.admit(at: .start)) == Admitted(5, isHeld: false))
    origin.withdraw(2)
    #expect(origin.open(4) && origin.held == 3)
  }

  @Test
  func `Held requests leave a place, however few there are`() {
    var limits = Origin.Limits()
    limits.mostRequests = 2
    limits.mostHeld = 5
    var origin = Origin(limits: limits)
    for number in Int64(1)...3 { origin.ask(number, priority: .normal, isLongPoll: true) }
    #expect(Admitted(origin.admit(at: .start)) == Admitted(1, isHeld: true))
    #expect(Admitted(origin.admit(at: .start)) == Admitted(2, isHeld: false))
    #expect(origin.admit(at: .start) == nil && origin.held == 1 && origin.queue == 1)
    limits.mostRequests = 1
    var narrow = Origin(limits: limits)
    narrow.ask(1, priority: .normal, isLongPoll: true)
    #expect(Admitted(narrow.admit(at: .start)) == Admitted(1, isHeld: false))
  }
}
