import Jobs
import Testing
import TolerantDecoding

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
    #expect(delivered(follower.received(progress(1), attempt: 1, now: 1, random: 0)) == [1])
    #expect(delivered(follower.received(progress(1), attempt: 1, now: 1, random: 0)).isEmpty)
    #expect(delivered(follower.received(progress(2), attempt: 1, now: 1, random: 0)) == [2])
    #expect(follower.position == EventPosition(epoch: 1, seq: 2))
  }

  @Test func `a gap means connecting again from the last event; one on purpose does not`() {
    var follower = JobFollower()
    open(&follower)
    _ = follower.received(progress(1), attempt: 1, now: 1, random: 0)
    #expect(
      delivered(follower.received(progress(5, covers: 2), attempt: 1, now: 1, random: 0)) == [5]
    )
    #expect(
      follower.received(progress(7), attempt: 1, now: 1, random: 0) == [
        .disconnect, .wake(after: 0),
      ]
    )
    #expect(
      follower.woke(now: 2, random: 0)
        == [.connect(.webSocket, after: EventPosition(epoch: 1, seq: 5), attempt: 2)]
    )
  }

  @Test func `a stream of events is opened again when it said, and not by all at once`() {
    var follower = JobFollower(transport: .eventStream)
    open(&follower)
    follower.heard(now: 1)
    follower.reconnects(after: 2_000, attempt: 1)
    follower.reconnects(after: 90_000, attempt: 7)
    #expect(follower.ended(.broken, attempt: 1, now: 10, random: 0) == [.wake(after: 2_000)])
    _ = follower.woke(now: 2_010, random: 0)
    _ = follower.opened(attempt: 2, now: 2_010)
    follower.heard(now: 2_011)
    #expect(follower.ended(.broken, attempt: 2, now: 2_020, random: 999) == [.wake(after: 2_999)])
    // No server keeps a client away for good.
    _ = follower.woke(now: 6_000, random: 0)
    _ = follower.opened(attempt: 3, now: 6_000)
    follower.heard(now: 6_000)
    follower.reconnects(after: .max, attempt: 3)
    let longest = JobFollower.Policy().longestReconnection
    #expect(follower.ended(.broken, attempt: 3, now: 6_001, random: 0) == [.wake(after: longest)])
  }

  @Test func `the end is taken with a gap before it, and finishes once`() {
    var follower = JobFollower()
    open(&follower)
    let orders = follower.received(end(9), attempt: 1, now: 1, random: 0)
    #expect(orders.count == 3)
    #expect(follower.isOver)
    #expect(follower.received(end(9), attempt: 1, now: 1, random: 0).isEmpty)
    #expect(follower.ended(.broken, attempt: 1, now: 2, random: 0).isEmpty)
    #expect(follower.woke(now: 3, random: 0).isEmpty)
  }

  @Test func `messages of a connection that was left change nothing`() {
    var follower = JobFollower()
    open(&follower)
    _ = follower.ended(.broken, attempt: 1, now: 1, random: 0)
    _ = follower.woke(now: 2, random: 0)
    #expect(follower.received(progress(1), attempt: 1, now: 2, random: 0).isEmpty)
    #expect(follower.ended(.broken, attempt: 1, now: 2, random: 0).isEmpty)
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
      for case .wake(let span) in follower.ended(.broken, attempt: attempt, now: 0, random: .max) {
        waits.append(span)
      }
      _ = follower.woke(now: 0, random: 0)
    }
    let steps = policy.backoff.map { Int64(UInt64.max % UInt64($0)) }
    #expect(waits == steps + [steps[5], steps[5]])
    #expect(zip(waits, policy.backoff).allSatisfy { $0 < $1 })
  }

  @Test func `a transport that never opens gives way, and the best one is tried again`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    for attempt in 1...4 {
      _ = follower.ended(.broken, attempt: attempt, now: 0, random: 0)
      _ = follower.woke(now: 0, random: 0)
    }
    #expect(follower.transport == .polling)
    _ = follower.polled([progress(1)], now: 1, random: 0)
    #expect(
      follower.woke(now: 2_000, random: 0).contains { if case .poll = $0 { true } else { false } }
    )
    _ = follower.unchanged(now: 2_001)
    #expect(
      follower.woke(now: 60_001, random: 0).contains {
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

  @Test func `a token that grows old while a stream is open is renewed beside it`() {
    var follower = JobFollower(tokenExpiry: 90_000)
    _ = follower.start(now: 0)
    #expect(follower.opened(attempt: 1, now: 0) == [.wake(after: 30_000)])
    #expect(follower.woke(now: 30_000, random: 0) == [.refreshToken, .wake(after: 32_500)])
    // Events arrive meanwhile, and no second request is sent.
    #expect(delivered(follower.received(progress(1), attempt: 1, now: 30_001, random: 0)) == [1])
    #expect(follower.woke(now: 62_500, random: 0) == [.wake(after: 30_001)])
    #expect(
      follower.tokenRefreshed(expiresAt: 7_262_600, now: 62_600) == [.wake(after: 29_901)]
    )
    #expect(delivered(follower.received(progress(2), attempt: 1, now: 62_601, random: 0)) == [2])
  }

  @Test func `a renewal that fails is tried again until it comes, and the stream stays`() {
    var follower = JobFollower(tokenExpiry: 60_000)
    _ = follower.start(now: 0)
    // What opens the job still is used.
    #expect(
      follower.tokenNotRefreshed(.status(503), now: 0, random: 0)
        == [.connect(.webSocket, after: nil, attempt: 1)]
    )
    var now: Int64 = 0
    var tries: [Int64] = []
    var orders = follower.opened(attempt: 1, now: now)
    while tries.count < 14, now < 1_000_000 {
      guard case .wake(let span)? = orders.last else { break }
      now += span
      follower.heard(now: now)
      orders = follower.woke(now: now, random: 0)
      #expect(!orders.contains(.disconnect))
      guard orders.contains(.refreshToken) else { continue }
      tries.append(now)
      orders = follower.tokenNotRefreshed(.broken, now: now, random: 0)
    }
    // Longer waits each time, and shorter ones before the end of the token.
    #expect(
      tries == [
        1_000, 3_000, 7_000, 15_000, 31_000, 45_500, 52_750, 56_375, 58_188, 59_188, 60_188,
        90_188, 120_188, 150_188,
      ]
    )
    #expect(follower.woke(now: 180_188, random: 0).contains(.refreshToken))
    #expect(
      follower.tokenRefreshed(expiresAt: 7_380_188, now: 180_188) == [.wake(after: 32_500)]
    )
  }

  @Test func `a stream that is open goes on when the token cannot be renewed any more`() {
    var follower = JobFollower(tokenExpiry: 61_000)
    _ = follower.start(now: 0)
    _ = follower.opened(attempt: 1, now: 0)
    #expect(follower.woke(now: 1_000, random: 0).first == .refreshToken)
    #expect(
      follower.tokenNotRefreshed(.status(401), now: 1_001, random: 0) == [.wake(after: 61_499)]
    )
    #expect(delivered(follower.received(end(1), attempt: 1, now: 1_002, random: 0)) == [1])
    #expect(follower.isOver)
  }

  @Test func `a stream that breaks while the token is renewed waits for the new one`() {
    var follower = JobFollower(tokenExpiry: 61_000)
    _ = follower.start(now: 0)
    _ = follower.opened(attempt: 1, now: 0)
    #expect(follower.woke(now: 1_000, random: 0).first == .refreshToken)
    #expect(follower.ended(.broken, attempt: 1, now: 1_001, random: 0) == [.wake(after: 0)])
    #expect(follower.woke(now: 1_001, random: 0).isEmpty)
    #expect(
      follower.tokenRefreshed(expiresAt: 7_200_000, now: 1_002)
        == [.connect(.webSocket, after: nil, attempt: 2)]
    )
  }

  @Test func `a token that is refused after a long outage is renewed all the same`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    for attempt in 1...20 {
      _ = follower.ended(.status(503), attempt: attempt, now: 0, random: 0)
      _ = follower.woke(now: 0, random: 0)
      if follower.transport == .polling { break }
    }
    for _ in 0..<20 {
      _ = follower.pollFailed(.broken, now: 0, random: 0)
      _ = follower.woke(now: 0, random: 0)
    }
    #expect(
      follower.pollFailed(.status(401), now: 0, random: 0) == [.disconnect, .refreshToken]
    )
    // Refused again and again although it was renewed, it is refused for good.
    var orders = follower.tokenRefreshed(expiresAt: 7_200_000, now: 0)
    var refusals = 1
    while !follower.isOver, refusals < 100 {
      refusals += 1
      orders = follower.pollFailed(.status(401), now: 0, random: 0)
      _ = follower.tokenRefreshed(expiresAt: 7_200_000, now: 0)
    }
    #expect(orders.last == .finish(.unauthorized))
    #expect(refusals == 7)
  }

  @Test func `a token that a message brings is counted by the clock of the message`() {
    var follower = JobFollower(tokenExpiry: 100_000)
    open(&follower)
    let at = 1_700_000_000_000
    let token = message(
      #"{"type":"token_refreshed","timestamp":\#(at),"payload":{"token":"t","expiresAt":\#(at + 7_200_000)}}"#
    )
    _ = follower.received(token, attempt: 1, now: 10_000, random: 0)
    follower.heard(now: 40_000)
    #expect(follower.woke(now: 40_000, random: 0) == [.wake(after: 62_500)])
    follower.heard(now: 7_149_999)
    #expect(follower.woke(now: 7_149_999, random: 0) == [.wake(after: 1)])
    #expect(follower.woke(now: 7_150_000, random: 0).first == .refreshToken)
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
    _ = follower.received(state, attempt: 1, now: 1, random: 0)
    _ = follower.ended(.broken, attempt: 1, now: 1, random: 0)
    #expect(
      follower.woke(now: 2, random: 0)
        == [.connect(.webSocket, after: EventPosition(epoch: 1, seq: 8), attempt: 2)]
    )
    _ = follower.opened(attempt: 2, now: 2)
    #expect(delivered(follower.received(end(9), attempt: 2, now: 3, random: 0)) == [9])
    #expect(follower.isOver)
  }

  @Test func `a refused token is renewed; one that cannot be renewed ends the following`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    #expect(
      follower.ended(.status(401), attempt: 1, now: 1, random: 0) == [.disconnect, .refreshToken]
    )
    #expect(
      follower.tokenNotRefreshed(.status(401), now: 2, random: 0)
        == [.disconnect, .finish(.unauthorized)]
    )
  }

  @Test func `a server that is gone while the token is renewed does not end it`() {
    var follower = JobFollower(tokenExpiry: 10)
    #expect(follower.start(now: 0) == [.refreshToken])
    // The old token may still be good: it is tried before the next refusal.
    #expect(
      follower.tokenNotRefreshed(.broken, now: 1, random: 5)
        == [.connect(.webSocket, after: nil, attempt: 1)]
    )
    #expect(
      follower.ended(.status(401), attempt: 1, now: 2, random: 0) == [.disconnect, .refreshToken]
    )
    // One that was refused is of no use: the wait comes first.
    #expect(follower.tokenNotRefreshed(.broken, now: 3, random: 5) == [.wake(after: 5)])
    #expect(follower.woke(now: 8, random: 0) == [.refreshToken])
  }

  @Test func `what is missing every time is passed over`() {
    var follower = JobFollower()
    open(&follower)
    _ = follower.received(progress(1), attempt: 1, now: 1, random: 0)
    #expect(
      follower.received(message("{"), attempt: 1, now: 1, random: 0).map {
        if case .deliver(let message) = $0 { message.body == .unreadable } else { false }
      } == [true]
    )
    #expect(
      follower.received(progress(3), attempt: 1, now: 1, random: 0) == [
        .disconnect, .wake(after: 0),
      ]
    )
    _ = follower.woke(now: 2, random: 0)
    _ = follower.opened(attempt: 2, now: 2)
    #expect(delivered(follower.received(progress(3), attempt: 2, now: 3, random: 0)) == [3])
    #expect(delivered(follower.received(end(4), attempt: 2, now: 4, random: 0)) == [4])
  }

  @Test func `messages that lead nowhere do not shorten the waits`() {
    var follower = JobFollower()
    open(&follower)
    _ = follower.received(progress(1), attempt: 1, now: 1, random: 0)
    var waits: [Int64] = []
    for attempt in 1...4 {
      _ = follower.received(progress(1), attempt: attempt, now: 1, random: 0)
      _ = follower.received(message(#"{"type":"ready_ack"}"#), attempt: attempt, now: 1, random: 0)
      for case .wake(let span) in follower.ended(.broken, attempt: attempt, now: 2, random: 15_999)
      {
        waits.append(span)
      }
      _ = follower.woke(now: 2, random: 0)
      _ = follower.opened(attempt: attempt + 1, now: 2)
    }
    #expect(waits == [999, 1_999, 3_999, 7_999])
    // A stream that lasted was a good one, also if there was nothing to say.
    #expect(
      follower.ended(.broken, attempt: 5, now: 30_002, random: 15_999) == [.wake(after: 999)]
    )
  }

  @Test(arguments: [JobFollower.Trouble.unreadable, .closed(code: 1009, reason: "")])
  func `a stream that breaks over a message gives way to the state, then to polling`(
    _ trouble: JobFollower.Trouble
  ) {
    var follower = JobFollower()
    open(&follower)
    _ = follower.received(progress(1), attempt: 1, now: 1, random: 0)
    #expect(follower.ended(trouble, attempt: 1, now: 1, random: 0) == [.wake(after: 0)])
    #expect(follower.asksAfter == EventPosition(epoch: 1, seq: 1))
    _ = follower.woke(now: 2, random: 0)
    _ = follower.opened(attempt: 2, now: 2)
    #expect(
      follower.ended(trouble, attempt: 2, now: 3, random: 0) == [.disconnect, .poll(attempt: 3)]
    )
    // No log has such an event: the answer is the state.
    #expect(follower.asksAfter == EventPosition(epoch: 1, seq: 9_007_199_254_740_991))
    var led = follower
    let report = message(
      #"{"type":"reconnected","epoch":1,"payload":{"progress":0.5,"status":"s","lastSeq":7,"recovered":false}}"#
    )
    _ = led.polled([report], state: .running, now: 4, random: 0)
    #expect(led.asksAfter == EventPosition(epoch: 1, seq: 7))
    #expect(
      led.woke(now: 2_004, random: 0)
        == [.connect(.webSocket, after: EventPosition(epoch: 1, seq: 7), attempt: 4)]
    )
    // Where the state does not lead on either, the stream is left.
    _ = follower.polled([], state: .running, now: 4, random: 0)
    _ = follower.woke(now: 2_004, random: 0)
    _ = follower.opened(attempt: 4, now: 2_004)
    _ = follower.ended(trouble, attempt: 4, now: 2_005, random: 0)
    #expect(follower.transport == .polling)
    #expect(delivered(follower.polled([end(9)], now: 2_006, random: 0)) == [9])
  }

  @Test(arguments: [
    (JobState.succeeded, JobEnding.succeeded), (.failed, .failed), (.canceled, .canceled),
  ])
  func `a job whose last message cannot be read ends as the state says`(
    _ state: JobState,
    _ ending: JobEnding
  ) throws {
    var follower = JobFollower(transport: .polling)
    _ = follower.start(now: 0)
    var polls = 0
    var orders: [JobFollower.Order] = []
    while !follower.isOver, polls < 10 {
      polls += 1
      orders = follower.polled([progress(1), message("[")], state: state, now: 1, random: 0)
      if !follower.isOver { _ = follower.woke(now: 2, random: 0) }
    }
    #expect(polls == 3)
    guard case .finish(.ended(let completion))? = orders.last else {
      Issue.record("\(orders)")
      return
    }
    #expect(completion.ending == .known(ending))
    #expect(orders.filter { if case .finish = $0 { true } else { false } }.count == 1)
  }

  @Test func `the wait after a failure does not go over the renewal of the token`() {
    var follower = JobFollower(tokenExpiry: 60_500)
    _ = follower.start(now: 0)
    #expect(follower.ended(.broken, attempt: 1, now: 1, random: 999) == [.wake(after: 499)])
    #expect(follower.woke(now: 500, random: 0) == [.refreshToken])
  }

  @Test func `a stream that ends behind a message that cannot be read gives way to the state`() {
    var follower = JobFollower()
    open(&follower)
    _ = follower.received(message("{"), attempt: 1, now: 1, random: 0)
    #expect(follower.ended(.broken, attempt: 1, now: 1, random: 0) == [.wake(after: 0)])
    _ = follower.woke(now: 2, random: 0)
    _ = follower.opened(attempt: 2, now: 2)
    _ = follower.received(message("{"), attempt: 2, now: 3, random: 0)
    #expect(
      follower.ended(.broken, attempt: 2, now: 3, random: 0) == [.disconnect, .poll(attempt: 3)]
    )
    #expect(follower.asksAfter == EventPosition(epoch: 0, seq: 9_007_199_254_740_991))
  }

  @Test func `a stream that says nothing counts as one that does not open`() {
    var follower = JobFollower()
    open(&follower)
    #expect(follower.woke(now: 62_500, random: 0) == [.disconnect, .wake(after: 0)])
    _ = follower.woke(now: 62_500, random: 0)
    _ = follower.opened(attempt: 2, now: 62_500)
    _ = follower.ended(.broken, attempt: 2, now: 62_501, random: 0)
    #expect(follower.transport == .eventStream)
  }

  @Test func `expired and unknown jobs are told apart`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    #expect(follower.ended(.status(410), attempt: 1, now: 1, random: 0).last == .finish(.expired))
    follower = JobFollower()
    _ = follower.start(now: 0)
    // A server without this transport says 404 too: the state decides.
    #expect(
      follower.ended(.status(404), attempt: 1, now: 1, random: 0).contains {
        if case .poll = $0 { true } else { false }
      }
    )
    #expect(follower.pollFailed(.status(404), now: 2, random: 0).last == .finish(.unknownJob))
  }

  @Test func `a close that says finished without an end before it asks for the state`() {
    var follower = JobFollower()
    open(&follower)
    let orders = follower.ended(.closed(code: 1000, reason: ""), attempt: 1, now: 1, random: 0)
    #expect(orders.contains { if case .poll = $0 { true } else { false } })
    #expect(delivered(follower.polled([end(3)], now: 2, random: 0)) == [3])
    #expect(follower.isOver)
  }

  @Test func `silence means that the connection is gone`() {
    var follower = JobFollower()
    open(&follower)
    #expect(follower.woke(now: 62_499, random: 0) == [.wake(after: 1)])
    follower.heard(now: 62_500)
    #expect(follower.woke(now: 62_500, random: 0) == [.wake(after: 62_500)])
    #expect(follower.woke(now: 125_000, random: 0) == [.disconnect, .wake(after: 0)])
  }

  @Test func `a state that is not a recovery takes the place of events`() {
    var follower = JobFollower(after: EventPosition(epoch: 9, seq: 40))
    open(&follower)
    let report = message(
      #"{"type":"reconnected","epoch":1,"payload":{"progress":0.5,"status":"s","lastSeq":7,"recovered":false}}"#
    )
    _ = follower.received(report, attempt: 1, now: 1, random: 0)
    #expect(follower.position == EventPosition(epoch: 1, seq: 7))
    #expect(delivered(follower.received(progress(8), attempt: 1, now: 1, random: 0)) == [8])
  }
}
