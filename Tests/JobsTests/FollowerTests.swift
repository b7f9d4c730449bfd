import Jobs
import Testing

@Suite struct `Following a job` {
  private func progress(_ seq: Int64, covers: Int64? = nil) -> JobMessage {
    let covered = covers.map { #","covers":\#($0)"# } ?? ""
    return message(
      #"{"type":"job_progress","epoch":1,"seq":\#(seq)\#(covered),"payload":{"progress":0.5,"status":"s"}}"#
    )
  }

  private func end(_ seq: Int64) -> JobMessage {
    message(
      #"{"type":"job_complete","epoch":1,"seq":\#(seq),"payload":{"summary":{"totalProcessed":1}}}"#
    )
  }

  private func open(_ follower: inout JobFollower) {
    _ = follower.start(now: 0)
    _ = follower.opened(attempt: 1, now: 0)
  }

  private func delivered(_ orders: [JobFollower.Order]) -> [Int64?] {
    orders.compactMap { if case .deliver(let message) = $0 { message.position?.seq } else { nil } }
  }

  @Test func `events come once and in order`() {
    var follower = JobFollower()
    open(&follower)
    #expect(delivered(follower.received(progress(1), attempt: 1, now: 1, draw: 0)) == [1])
    #expect(delivered(follower.received(progress(1), attempt: 1, now: 1, draw: 0)).isEmpty)
    #expect(delivered(follower.received(progress(2), attempt: 1, now: 1, draw: 0)) == [2])
    #expect(follower.position == EventPosition(epoch: 1, seq: 2))
  }

  @Test func `a gap means connecting again from the last event; one on purpose does not`() {
    var follower = JobFollower()
    open(&follower)
    _ = follower.received(progress(1), attempt: 1, now: 1, draw: 0)
    #expect(
      delivered(follower.received(progress(5, covers: 2), attempt: 1, now: 1, draw: 0)) == [5]
    )
    #expect(
      follower.received(progress(7), attempt: 1, now: 1, draw: 0) == [.disconnect, .wake(after: 0)]
    )
    #expect(
      follower.woke(now: 2, draw: 0)
        == [.connect(.webSocket, after: EventPosition(epoch: 1, seq: 5), attempt: 2)]
    )
  }

  @Test func `the end is taken with a gap before it, and finishes once`() {
    var follower = JobFollower()
    open(&follower)
    let orders = follower.received(end(9), attempt: 1, now: 1, draw: 0)
    #expect(orders.count == 3)
    #expect(follower.isOver)
    #expect(follower.received(end(9), attempt: 1, now: 1, draw: 0).isEmpty)
    #expect(follower.ended(.broken, attempt: 1, now: 2, draw: 0).isEmpty)
    #expect(follower.woke(now: 3, draw: 0).isEmpty)
  }

  @Test func `messages of a connection that was left change nothing`() {
    var follower = JobFollower()
    open(&follower)
    _ = follower.ended(.broken, attempt: 1, now: 1, draw: 0)
    _ = follower.woke(now: 2, draw: 0)
    #expect(follower.received(progress(1), attempt: 1, now: 2, draw: 0).isEmpty)
    #expect(follower.ended(.broken, attempt: 1, now: 2, draw: 0).isEmpty)
  }

  @Test func `waits grow with full jitter and end at the longest`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    var waits: [Int64] = []
    var policy = JobFollower.Policy()
    policy.failuresBeforeFallback = 100
    follower = JobFollower(policy: policy)
    _ = follower.start(now: 0)
    for attempt in 1...8 {
      for case .wake(let span) in follower.ended(.broken, attempt: attempt, now: 0, draw: .max) {
        waits.append(span)
      }
      _ = follower.woke(now: 0, draw: 0)
    }
    let draws = policy.backoff.map { Int64(UInt64.max % UInt64($0)) }
    #expect(waits == draws + [draws[5], draws[5]])
    #expect(zip(waits, policy.backoff).allSatisfy { $0 < $1 })
  }

  @Test func `a transport that never opens gives way, and the best one is tried again`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    for attempt in 1...4 {
      _ = follower.ended(.broken, attempt: attempt, now: 0, draw: 0)
      _ = follower.woke(now: 0, draw: 0)
    }
    #expect(follower.transport == .polling)
    _ = follower.polled([progress(1)], now: 1, draw: 0)
    #expect(
      follower.woke(now: 2_000, draw: 0).contains { if case .poll = $0 { true } else { false } }
    )
    _ = follower.unchanged(now: 2_001)
    #expect(
      follower.woke(now: 60_001, draw: 0).contains {
        if case .connect(.webSocket, _, _) = $0 { true } else { false }
      }
    )
  }

  @Test func `a token about to expire is renewed before connecting`() {
    var follower = JobFollower(tokenExpiry: 30_000)
    #expect(follower.start(now: 0) == [.refreshToken])
    #expect(
      follower.tokenRefreshed(expiresAt: 7_200_000, now: 1)
        == [.connect(.webSocket, after: nil, attempt: 1)]
    )
  }

  @Test func `a token that grows old while a stream is open is renewed`() {
    var follower = JobFollower(tokenExpiry: 90_000)
    _ = follower.start(now: 0)
    #expect(follower.opened(attempt: 1, now: 0) == [.wake(after: 30_000)])
    #expect(follower.woke(now: 30_000, draw: 0) == [.disconnect, .refreshToken])
    #expect(
      follower.tokenRefreshed(expiresAt: 7_230_000, now: 30_001)
        == [.connect(.webSocket, after: nil, attempt: 2)]
    )
  }

  @Test func `a token that is good for a moment only is used before it is renewed`() {
    var follower = JobFollower(tokenExpiry: 10_000)
    #expect(follower.start(now: 0) == [.refreshToken])
    #expect(
      follower.tokenRefreshed(expiresAt: 10_000, now: 0)
        == [.connect(.webSocket, after: nil, attempt: 1)]
    )
    #expect(follower.opened(attempt: 1, now: 0) == [.wake(after: 5_000)])
  }

  @Test func `the end comes behind the state, even if the stream breaks between`() {
    var follower = JobFollower()
    open(&follower)
    let state = message(
      #"{"type":"reconnected","epoch":1,"payload":{"progress":1,"status":"s","lastSeq":8,"recovered":false}}"#
    )
    _ = follower.received(state, attempt: 1, now: 1, draw: 0)
    _ = follower.ended(.broken, attempt: 1, now: 1, draw: 0)
    #expect(
      follower.woke(now: 2, draw: 0)
        == [.connect(.webSocket, after: EventPosition(epoch: 1, seq: 8), attempt: 2)]
    )
    _ = follower.opened(attempt: 2, now: 2)
    #expect(delivered(follower.received(end(9), attempt: 2, now: 3, draw: 0)) == [9])
    #expect(follower.isOver)
  }

  @Test func `a refused token is renewed; one that cannot be renewed ends the following`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    #expect(
      follower.ended(.status(401), attempt: 1, now: 1, draw: 0) == [.disconnect, .refreshToken]
    )
    #expect(
      follower.tokenNotRefreshed(.status(401), now: 2, draw: 0)
        == [.disconnect, .finish(.unauthorized)]
    )
  }

  @Test func `a server that is gone while the token is renewed does not end it`() {
    var follower = JobFollower(tokenExpiry: 10)
    _ = follower.start(now: 0)
    #expect(follower.tokenNotRefreshed(.broken, now: 1, draw: 5) == [.wake(after: 5)])
    // The old token may still be good: it is tried before the next refusal.
    #expect(follower.woke(now: 6, draw: 0) == [.connect(.webSocket, after: nil, attempt: 1)])
  }

  @Test func `expired and unknown jobs are told apart`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    #expect(follower.ended(.status(410), attempt: 1, now: 1, draw: 0).last == .finish(.expired))
    follower = JobFollower()
    _ = follower.start(now: 0)
    // A server without this transport says 404 too: the state decides.
    #expect(
      follower.ended(.status(404), attempt: 1, now: 1, draw: 0).contains {
        if case .poll = $0 { true } else { false }
      }
    )
    #expect(follower.pollFailed(.status(404), now: 2, draw: 0).last == .finish(.unknownJob))
  }

  @Test func `a close that says finished without an end before it asks for the state`() {
    var follower = JobFollower()
    open(&follower)
    let orders = follower.ended(.closed(code: 1000, reason: ""), attempt: 1, now: 1, draw: 0)
    #expect(orders.contains { if case .poll = $0 { true } else { false } })
    #expect(delivered(follower.polled([end(3)], now: 2, draw: 0)) == [3])
    #expect(follower.isOver)
  }

  @Test func `silence means that the connection is gone`() {
    var follower = JobFollower()
    open(&follower)
    #expect(follower.woke(now: 62_499, draw: 0) == [.wake(after: 1)])
    follower.heard(now: 62_500)
    #expect(follower.woke(now: 62_500, draw: 0) == [.wake(after: 62_500)])
    #expect(follower.woke(now: 125_000, draw: 0) == [.disconnect, .wake(after: 0)])
  }

  @Test func `a state that is no recovery takes the place of events`() {
    var follower = JobFollower(after: EventPosition(epoch: 9, seq: 40))
    open(&follower)
    let standing = message(
      #"{"type":"reconnected","epoch":1,"payload":{"progress":0.5,"status":"s","lastSeq":7,"recovered":false}}"#
    )
    _ = follower.received(standing, attempt: 1, now: 1, draw: 0)
    #expect(follower.position == EventPosition(epoch: 1, seq: 7))
    #expect(delivered(follower.received(progress(8), attempt: 1, now: 1, draw: 0)) == [8])
  }

  /// A server with a log, a network that breaks, refuses and delays, and a follower between.
  @Test(arguments: 0..<1_000)
  func `a thousand bad networks: the end once, and no event twice or lost`(_ seed: Int) {
    var random = Seeded(UInt64(seed))
    var follower = JobFollower()
    var now: Int64 = 0
    var published: Int64 = 1
    let last = Int64.random(in: 1...40, using: &random)
    var stream: (attempt: Int, sent: Int64)?
    var pending = follower.start(now: 0)
    var seen: [Int64] = []
    var skipped: Set<Int64> = []
    var endings = 0
    var alarm: Int64?
    var isPolling = false
    for _ in 0..<5_000 where endings == 0 {
      now += Int64.random(in: 1...400, using: &random)
      published = min(last, published + Int64.random(in: 0...1, using: &random))
      let orders = pending
      pending = []
      for order in orders {
        switch order {
        case .connect(_, let position, let attempt):
          isPolling = false
          switch Int.random(in: 0..<4, using: &random) {
          case 0:
            pending += follower.ended(.broken, attempt: attempt, now: now, draw: random.next())
          case 1:
            pending += follower.ended(.status(503), attempt: attempt, now: now, draw: random.next())
          default:
            stream = (attempt, position?.seq ?? 0)
            pending += follower.opened(attempt: attempt, now: now)
          }
        case .disconnect: stream = nil
        case .poll: isPolling = true
        case .refreshToken: pending += follower.tokenRefreshed(expiresAt: nil, now: now)
        case .wake(let span): alarm = now + span
        case .deliver(let message):
          guard let seq = message.position?.seq else { continue }
          for gone in (message.covers ?? seq)..<seq where !seen.contains(gone) {
            skipped.insert(gone)
          }
          seen.append(seq)
        case .finish: endings += 1
        }
      }
      if isPolling {
        isPolling = false
        let from = follower.position?.seq ?? 0
        let missed =
          from < published
          ? ((from + 1)...published).map { $0 == last ? end($0) : progress($0) } : []
        pending +=
          Bool.random(using: &random)
          ? follower.polled(missed, now: now, draw: random.next())
          : follower.pollFailed(.broken, now: now, draw: random.next())
      } else if let open = stream {
        if Int.random(in: 0..<6, using: &random) == 0 {
          stream = nil
          pending += follower.ended(.broken, attempt: open.attempt, now: now, draw: random.next())
        } else if open.sent < published {
          let next = Int64.random(in: (open.sent + 1)...published, using: &random)
          stream = (open.attempt, next)
          let text = next == last ? end(next) : progress(next, covers: open.sent + 1)
          pending += follower.received(text, attempt: open.attempt, now: now, draw: random.next())
        }
      }
      if let due = alarm, due <= now {
        alarm = nil
        pending += follower.woke(now: now, draw: random.next())
      }
      if endings == 0 { for case .finish in pending { endings += 1 } }
      for case .deliver(let message) in pending where endings > 0 {
        seen.append(message.position?.seq ?? 0)
      }
    }
    #expect(endings == 1)
    #expect(Set(seen).count == seen.count)
    #expect(seen == seen.sorted())
    #expect(seen.last == last)
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
