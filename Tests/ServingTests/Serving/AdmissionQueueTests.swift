import FreshResponses
import HTTPTypes
import Testing

@testable import Serving

/// Requests that wait for their turn.
@Suite struct AdmissionQueueTests {
  private let one = ClientNetwork(address: [10, 0, 0, 1])
  private let other = ClientNetwork(address: [10, 0, 0, 2])

  /// A queue for one at a time, with another client that asks.
  private func contested() throws -> AdmissionQueue {
    let queue = AdmissionQueue(
      .init(processors: 1, ofNetwork: 1, ofAll: 8),
      limits: AdmissionLimits()
    )
    _ = try #require(running(queue, other))
    return queue
  }

  private func running(
    _ queue: AdmissionQueue,
    _ network: ClientNetwork
  )
    -> FairAdmission.Running?
  {
    guard case .runs(let request, _) = queue.arrive(network, route: "a", isRefusable: true) else {
      return nil
    }
    return request
  }

  private func waiting(_ queue: AdmissionQueue, _ network: ClientNetwork) -> UInt64? {
    guard case .waits(let number) = queue.arrive(network, route: "a", isRefusable: true) else {
      return nil
    }
    return number
  }

  @Test func `a request that waits runs when the one before it ends, also if that is sooner`()
    async throws
  {
    let queue = try contested()
    let first = try #require(running(queue, one))
    let second = try #require(waiting(queue, one))
    let third = try #require(waiting(queue, one))
    // It is called before it waits.
    _ = queue.end(first)
    let next = try await queue.wait(second)
    #expect(queue.waiting == 1)
    #expect(queue.oldestWait == 0)
    async let waits = queue.wait(third)
    while queue.oldestWait == 0 { await Task.yield() }
    _ = queue.end(next)
    _ = queue.end(try await waits)
    #expect(queue.oldestWait == 0)
    #expect(queue.waiting == 0)
    #expect(running(queue, one) != nil)
    let counts = queue.counts
    #expect((counts.counts.admitted, counts.counts.waited) == (5, 2))
    #expect(counts.waits.count == 2)
  }

  @Test func `a request whose client is gone gives its place to the next one`() async throws {
    let queue = try contested()
    let first = try #require(running(queue, one))
    let second = try #require(waiting(queue, one))
    let third = try #require(waiting(queue, one))
    let gone = Task { try await queue.wait(second) }
    gone.cancel()
    await #expect(throws: CancellationError.self) { try await gone.value }
    #expect(queue.waiting == 1)
    _ = queue.end(first)
    _ = try await queue.wait(third)
  }

  @Test func `a request that waits for news gives its slot away, and takes one again`() async throws
  {
    let queue = try contested()
    let permit = AdmissionPermit(queue, one, percent: 75, route: "a")
    permit.began(try #require(running(queue, one)))
    try await AdmissionPermit.$current.withValue(permit) {
      let second = try #require(waiting(queue, one))
      let value = try await AdmissionPermit.pause {
        // The one that waited runs meanwhile, and ends.
        _ = queue.end(try await queue.wait(second))
        return 7
      }
      #expect(value == 7)
      #expect(waiting(queue, one) != nil)
    }
    permit.end()
    permit.end()
    #expect(queue.waiting == 0)
  }

  @Test func `what the requests of a route cost is learned, of so many routes`() throws {
    let queue = try contested()
    queue.learn(1_000, route: "a")
    for number in 0..<2 * AdmissionLimits.routes { queue.learn(1, route: "\(number)") }
    _ = running(queue, one)
    // At half a processor one waits for two seconds, and the next one would wait for longer.
    for _ in 0..<2 { #expect(waiting(queue, one) != nil) }
    guard
      case .refused(let refusal, let quota) = queue.arrive(one, route: "a", isRefusable: true)
    else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.reason == .share)
    #expect(quota != nil)
    #expect(queue.counts.counts.refused == [.share: 1])
  }

  @Test func `long polls and streams are shared by networks too`() throws {
    let queue = try contested()
    let limiter = LongPollLimiter(most: 8)
    func acquire(
      _ network: ClientNetwork?
    ) -> Result<LongPollLimiter.Permit, LongPollLimiter.Refusal> {
      let permit = AdmissionPermit(queue, network, percent: 75, route: nil)
      return AdmissionPermit.$current.withValue(permit) { limiter.acquire() }
    }
    var held: [LongPollLimiter.Permit] = []
    while case .success(let permit) = acquire(one) { held.append(permit) }
    #expect(held.count == 6)
    guard case .failure(.share) = acquire(one) else {
      Issue.record("more than its share")
      return
    }
    let others = try [acquire(other).get(), acquire(nil).get()]
    guard case .failure(.full) = acquire(nil) else {
      Issue.record("more than all")
      return
    }
    held.removeAll()
    #expect(limiter.waiting == others.count)
  }

  @Test func `long polls and streams of one thing have a limit of their own`() throws {
    let limiter = LongPollLimiter(most: 4)
    var held = try (0..<2).map { _ in try limiter.acquire("a", atMost: 2).get() }
    guard case .failure(.full) = limiter.acquire("a", atMost: 2) else {
      Issue.record("more than the limit of one")
      return
    }
    let other = try limiter.acquire("b", atMost: 2).get()
    held.removeLast()
    held.append(try limiter.acquire("a", atMost: 2).get())
    held.append(try limiter.acquire().get())
    #expect(limiter.enter() == nil, "all places are taken")
    held.removeAll()
    withExtendedLifetime(other) {}
    limiter.close()
    #expect(limiter.isClosed)
    guard case .failure(.full) = limiter.acquire("a", atMost: 2) else {
      Issue.record("closed")
      return
    }
  }

  @Test func `the fields of a rate limit are structured ones`() throws {
    var fields: HTTPFields = [:]
    RateLimitFields.set(.init(requests: 40, window: 2, remaining: 12, reset: 1), in: &fields)
    let policy = try #require(HTTPField.Name("RateLimit-Policy"))
    let limit = try #require(HTTPField.Name("RateLimit"))
    #expect(fields[policy] == "\"network\";q=40;w=2")
    #expect(fields[limit] == "\"network\";r=12;t=1")
  }
}
