import Foundation
import Serving
import Testing

@Suite struct ServiceClockTests {
  @Test func `A clock shows the instant it is started at, and runs on`() {
    let clock = ServiceClock(startingAt: 1_000_000)
    let first = clock.now
    #expect((1_000_000..<1_000_060).contains(first))
    #expect(clock.now >= first)
  }

  @Test func `A clock without a start shows the machine's time`() {
    for clock in [ServiceClock(), ServiceClock(startingAt: nil, pace: 1)] {
      #expect(abs(clock.now - Date().timeIntervalSince1970) < 60)
    }
  }

  @Test func `A clock with a pace runs that many times as fast`() async throws {
    let clock = ServiceClock(startingAt: 0, pace: 1_000)
    let began = ContinuousClock.now
    try await clock.sleep(until: 2_000)
    let took = ContinuousClock.now - began
    #expect(clock.now >= 2_000)
    #expect(took >= .milliseconds(1_999))
    #expect(took < .seconds(2_000))
  }

  @Test func `A pace beyond the limits becomes the nearest one`() {
    #expect(ServiceClock(startingAt: 0, pace: 0).pace == 0.05)
    #expect(ServiceClock(startingAt: 0, pace: 1e9).pace == 1_000)
  }

  @Test
  func `A sleep until an instant that has passed ends at once, and one that is cancelled throws`()
    async throws
  {
    let clock = ServiceClock(startingAt: 100)
    try await clock.sleep(until: 50)
    let task = Task { try await clock.sleep(until: 1e9) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `A schedule's clock with a pace sleeps as much shorter`() async throws {
    let clock = PacedClock(pace: 1_000)
    let start = clock.now
    let began = ContinuousClock.now
    try await clock.sleep(until: start.advanced(by: .seconds(2_000)), tolerance: nil)
    #expect(start.duration(to: clock.now) >= .seconds(2_000))
    #expect(ContinuousClock.now - began < .seconds(2_000))
  }
}
