import Jobs
import Testing

@Suite struct `Following a job through a bad world` {
  @Test(arguments: 0..<1_000)
  func `the end comes once, and no event twice or out of order`(_ seed: Int) {
    var world = World(seed: UInt64(seed))
    world.run()
    #expect(world.endings.count == 1)
    #expect(world.deliveredAfterTheEnd == 0)
    #expect(zip(world.seen, world.seen.dropFirst()).allSatisfy { $0 < $1 })
    #expect(world.renewalsAtOnce <= 1)
    switch world.endings.first {
    case .ended: #expect(world.ends == 1)
    // Only a token whose renewal failed ends it before the end.
    case .unauthorized: #expect(world.now >= world.tokenEnd && world.failedRenewals > 0)
    default: Issue.record("\(world.endings)")
    }
  }

  @Test func `a job outlives any number of tokens`() {
    let ended = (0..<300).map { seed in
      var world = World(seed: UInt64(seed))
      world.run()
      if case .ended = world.endings.first { return (true, world.renewals) }
      return (false, world.renewals)
    }
    #expect(ended.count { $0.0 } > 280)
    #expect(ended.count { $0.0 && $0.1 > 2 } > 80)
  }
}

/// A server with a log and expiring tokens, a network that breaks, rejects and delays, unreadable events, and a
/// follower between them.
private struct World {
  enum Damage {
    /// The message is not JSON.
    case text
    /// The message is too long for a stream.
    case length
  }

  private var random: Seeded
  private var follower: JobFollower
  private var pending: [JobFollower.Order] = []
  private var stream: (attempt: Int, sent: Int64)?
  private var isPolling = false
  private var renewalDue: Int64?
  private var alarm: Int64?
  private var published: Int64 = 1
  private let last: Int64
  private let damaged: [Int64: Damage]
  private let tokenLife: Int64
  /// How many events come in a step, one in so many.
  private let pace: Int
  private(set) var now: Int64 = 0
  private(set) var tokenEnd: Int64
  private(set) var endings: [JobFollower.Ending] = []
  private(set) var seen: [Int64] = []
  private(set) var ends = 0
  private(set) var renewals = 0
  private(set) var failedRenewals = 0
  private(set) var renewalsAtOnce = 0
  private(set) var deliveredAfterTheEnd = 0

  init(seed: UInt64) {
    random = Seeded(seed)
    last = Int64.random(in: 1...40, using: &random)
    pace = [1, 10, 60, 200].randomElement(using: &random) ?? 1
    tokenLife = Int64.random(in: 60_000...300_000, using: &random)
    tokenEnd = tokenLife
    var damaged: [Int64: Damage] = [:]
    for seq in 1...last where Int.random(in: 0..<8, using: &random) == 0 {
      damaged[seq] = Bool.random(using: &random) ? .text : .length
    }
    self.damaged = damaged
    follower = JobFollower(tokenExpiry: tokenLife)
  }

  mutating func run() {
    pending = follower.start(now: 0)
    for _ in 0..<20_000 where endings.isEmpty {
      now += Int64.random(in: 1...800, using: &random)
      if Int.random(in: 0..<pace, using: &random) == 0 { published = min(last, published + 1) }
      let orders = pending
      pending = []
      for order in orders { obey(order) }
      guard endings.isEmpty else { break }
      answerRenewal()
      if isPolling { answerPoll() } else if stream != nil { speak() }
      if let due = alarm, due <= now {
        alarm = nil
        pending += follower.woke(now: now, random: random.next())
      }
    }
    for case .deliver in pending { deliveredAfterTheEnd += 1 }
    for case .finish(let ending) in pending { endings.append(ending) }
  }

  private mutating func obey(_ order: JobFollower.Order) {
    if !endings.isEmpty, case .deliver = order { deliveredAfterTheEnd += 1 }
    switch order {
    case .connect(_, let position, let attempt):
      isPolling = false
      guard now < tokenEnd else { return fail(.status(401), attempt) }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: fail(.broken, attempt)
      case 1: fail(.status(503), attempt)
      default:
        stream = (attempt, position?.seq ?? 0)
        pending += follower.opened(attempt: attempt, now: now)
      }
    case .disconnect: stream = nil
    case .poll: isPolling = true
    case .refreshToken:
      renewalsAtOnce = renewalDue == nil ? max(renewalsAtOnce, 1) : 2
      renewalDue = now + Int64.random(in: 0...3_000, using: &random)
    case .wake(let span): alarm = now + span
    case .deliver(let message):
      if message.isTerminal { ends += 1 }
      if let seq = message.position?.seq { seen.append(seq) }
    case .finish(let ending): endings.append(ending)
    }
  }

  private mutating func fail(_ trouble: JobFollower.Trouble, _ attempt: Int) {
    stream = nil
    pending += follower.ended(trouble, attempt: attempt, now: now, random: random.next())
  }

  private mutating func answerRenewal() {
    guard let due = renewalDue, due <= now else { return }
    renewalDue = nil
    if Int.random(in: 0..<3, using: &random) == 0 {
      failedRenewals += 1
      let trouble: JobFollower.Trouble = Bool.random(using: &random) ? .broken : .status(503)
      pending += follower.tokenNotRefreshed(trouble, now: now, random: random.next())
    } else if now < tokenEnd {
      renewals += 1
      tokenEnd = now + tokenLife
      pending += follower.tokenRefreshed(expiresAt: tokenEnd, now: now)
    } else {
      pending += follower.tokenNotRefreshed(.status(401), now: now, random: random.next())
    }
  }

  private mutating func answerPoll() {
    isPolling = false
    guard now < tokenEnd else {
      pending += follower.pollFailed(.status(401), now: now, random: random.next())
      return
    }
    guard Int.random(in: 0..<4, using: &random) > 0 else {
      pending += follower.pollFailed(.broken, now: now, random: random.next())
      return
    }
    let after = follower.asksAfter?.seq ?? 0
    var messages: [JobMessage] = []
    if after > published {
      let seq = published == last ? last - 1 : published
      messages.append(
        message(
          #"{"type":"reconnected","epoch":1,"payload":{"progress":0,"status":"s","lastSeq":\#(seq),"recovered":false}}"#
        )
      )
      if published == last { messages.append(event(last, in: .text)) }
    } else if after < published {
      messages = (after + 1...published).map { event($0, in: .text) }
    }
    pending += follower.polled(
      messages,
      state: published == last ? .succeeded : .running,
      now: now,
      random: random.next()
    )
  }

  /// The event, or what it comes as where such damage counts.
  private func event(_ seq: Int64, in damage: Damage? = nil, covers: Int64? = nil) -> JobMessage {
    if let damage, damaged[seq] == damage { return message("{") }
    let covered = covers.map { #","covers":\#($0)"# } ?? ""
    let type = seq == last ? "job_complete" : "job_progress"
    return message(#"{"type":"\#(type)","epoch":1,"seq":\#(seq)\#(covered),"payload":{}}"#)
  }

  private mutating func speak() {
    guard let (attempt, sent) = stream else { return }
    if Int.random(in: 0..<20, using: &random) == 0 { return fail(.broken, attempt) }
    guard sent < published else {
      if sent >= last { return fail(.closed(code: 1000, reason: ""), attempt) }
      if Int.random(in: 0..<10, using: &random) == 0 { follower.heard(now: now) }
      return
    }
    let next =
      Bool.random(using: &random)
      ? sent + 1 : Int64.random(in: sent + 1...published, using: &random)
    if damaged[next] == .length { return fail(.unreadable, attempt) }
    stream = (attempt, next)
    pending += follower.received(
      event(next, in: .text, covers: next > sent + 1 ? sent + 1 : nil),
      attempt: attempt,
      now: now,
      random: random.next()
    )
  }
}

/// A generator whose numbers can be had again.
private struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
