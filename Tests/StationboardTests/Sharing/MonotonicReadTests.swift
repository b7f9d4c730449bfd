import StationboardServer
import Testing

/// Waits of requests for what their clients have seen.
struct MonotonicReadTests {
  @Test("A request waits for what is missing, until the time is over or there is no place")
  func waits() {
    let read = MonotonicRead(LeadershipLimits(), at: .seconds(5))
    #expect(read.step(isCovered: true, at: .seconds(5)) == .answer(isBehind: false))
    #expect(
      read.step(isCovered: false, at: .milliseconds(5_400)) == .wait(atMost: .milliseconds(600))
    )
    #expect(read.step(isCovered: false, mayWait: false, at: .seconds(5)) == .answer(isBehind: true))
    #expect(read.step(isCovered: false, at: .seconds(6)) == .answer(isBehind: true))
    #expect(read.step(isCovered: true, at: .seconds(7)) == .answer(isBehind: false))
  }

  @Test("Positions and instants say what is missing")
  func compares() {
    typealias Seen = MonotonicRead.Seen
    let shown = MonotonicRead.Shown(position: 7, instant: 1_000.5)
    #expect(Seen().isCovered(by: shown))
    #expect(Seen(position: 7).isCovered(by: shown))
    #expect(!Seen(position: 8).isCovered(by: shown))
    #expect(Seen(instant: 1_000.5004).isCovered(by: shown, at: 1_001))
    #expect(!Seen(instant: 1_000.501).isCovered(by: shown, at: 1_001))
    #expect(!Seen(position: 8, instant: 1_000).isCovered(by: shown, at: 1_001))
    // No server gave an instant of the future, and a board without realtime has nothing to wait for.
    #expect(Seen(instant: 9_000).isCovered(by: shown, at: 1_001))
    #expect(Seen(instant: 1_000.501).isCovered(by: MonotonicRead.Shown(position: 0), at: 1_001))
  }
}
