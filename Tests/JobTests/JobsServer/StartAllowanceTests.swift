import Jobs
import Serving
import Testing

@testable import JobsServer

/// An allowance that is asked within expectations.
private final class StartPermitsStage {
  var allowance: StartAllowance

  init(_ allowance: StartAllowance) { self.allowance = allowance }

  func acquire(_ client: ClientNetwork?, now: ContinuousClock.Instant) -> StartAllowance.Shortage? {
    allowance.acquire(client, now: now)
  }

  func giveBack(_ client: ClientNetwork?) { allowance.giveBack(client) }
}

@Suite struct `How many jobs may be started` {
  private let begin = ContinuousClock.now
  private let one = ClientNetwork(address: [192, 0, 2, 1])
  private let other = ClientNetwork(address: [192, 0, 2, 2])

  private func permits(_ change: (inout JobLimits) -> Void = { _ in }) -> StartPermitsStage {
    var limits = JobLimits()
    (limits.startsAtOnce, limits.startsPerMinute) = (5, 60)
    (limits.startsAtOnceOfClient, limits.startsPerMinuteOfClient) = (3, 30)
    change(&limits)
    return StartPermitsStage(StartAllowance(limits, now: begin))
  }

  @Test func `some at once, then at a steady rate`() {
    let permits = permits()
    for _ in 0..<3 { #expect(permits.acquire(one, now: begin) == nil) }
    #expect(permits.acquire(one, now: begin) == .client(.seconds(2)))
    #expect(permits.acquire(one, now: begin + .seconds(1.5)) == .client(.seconds(0.5)))
    #expect(permits.acquire(one, now: begin + .seconds(2)) == nil)
    #expect(permits.acquire(one, now: begin + .seconds(2)) == .client(.seconds(2)))
    // A long pause gives no more than at the beginning.
    for _ in 0..<3 { #expect(permits.acquire(one, now: begin + .seconds(3_600)) == nil) }
    #expect(permits.acquire(one, now: begin + .seconds(3_600)) != nil)
  }

  @Test func `one client does not use up what others may, all together do`() {
    let permits = permits()
    for _ in 0..<4 { _ = permits.acquire(one, now: begin) }
    for _ in 0..<2 { #expect(permits.acquire(other, now: begin) == nil) }
    #expect(permits.acquire(other, now: begin) == .all(.seconds(1)))
    #expect(permits.acquire(nil, now: begin) == .all(.seconds(1)))
    #expect(permits.acquire(nil, now: begin + .seconds(1)) == nil)
    // What all lacked was not taken from the client.
    #expect(permits.acquire(other, now: begin + .seconds(2)) == nil)
  }

  @Test func `what started nothing is given back`() {
    let permits = permits()
    for _ in 0..<100 {
      #expect(permits.acquire(one, now: begin) == nil)
      permits.giveBack(one)
    }
    for _ in 0..<100 { permits.giveBack(one) }
    for _ in 0..<3 { #expect(permits.acquire(one, now: begin) == nil) }
    #expect(permits.acquire(one, now: begin) != nil)
  }

  @Test func `clients that cannot be told apart share what all may`() {
    let permits = permits()
    for _ in 0..<5 { #expect(permits.acquire(nil, now: begin) == nil) }
    #expect(permits.acquire(nil, now: begin) == .all(.seconds(1)))
  }

  @Test func `clients are forgotten`() {
    let permits = permits {
      ($0.startsAtOnce, $0.startsPerMinute) = (1_000_000, 1_000_000)
    }
    for number in 0..<20_000 {
      let client = ClientNetwork(address: [10, 0, UInt8(number >> 8), UInt8(number & 255)])
      // Ten a second, and each is full again after two seconds.
      #expect(permits.acquire(client, now: begin + .milliseconds(100 * number)) == nil)
      #expect(permits.allowance.remembered <= 130)
    }
  }
}
