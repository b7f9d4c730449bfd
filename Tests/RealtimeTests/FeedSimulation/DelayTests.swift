import FeedSimulation
import Testing
import Timetable

@Suite struct DelayTests {
  @Test(arguments: Scenario.allCases)
  func `Delays are multiples of six seconds, and no run leaves a stop before it arrives there`(
    _ scenario: Scenario
  ) {
    let world = FeedWorld.test(scenario, seed: 7)
    var late = 0
    var early = 0
    for instant in stride(from: TestNetwork.morning, to: TestNetwork.morning + 3_600, by: 427) {
      for run in world.allRuns(around: instant) {
        let state = world.state(of: run, at: instant)
        guard state.phase == .running || state.phase == .replaced else { continue }
        var before = Int64.min
        for call in state.calls {
          #expect(call.departureDelay % 6 == 0)
          #expect(call.arrivalDelay % 6 == 0)
          #expect(call.arrival <= call.departure)
          #expect(call.arrival >= before)
          before = call.departure
          if call.departureDelay > 0 { late += 1 }
          if call.departureDelay < 0 { early += 1 }
        }
      }
    }
    #expect(late > 100)
    if scenario == .calm { #expect(early > 0) }
  }

  @Test func `What has happened stays as it was`() {
    let world = FeedWorld.test(.storm)
    let instant = TestNetwork.morning
    var compared = 0
    for run in world.allRuns(around: instant) {
      let before = world.state(of: run, at: instant)
      let after = world.state(of: run, at: instant + 90)
      guard before.phase == .running, after.phase == .running else { continue }
      for (old, new) in zip(before.calls, after.calls) where old.departure <= instant {
        #expect(old.departure == new.departure)
        #expect(old.arrival == new.arrival)
        compared += 1
      }
    }
    #expect(compared > 40)
  }

  @Test func `Delays grow in steps between two publications, not by leaps, except once in a while`()
  {
    let world = FeedWorld.test(.rush)
    var leaps = 0
    var changes = 0
    var all = 0
    for run in world.allRuns(around: TestNetwork.morning) {
      var before: Int32?
      for instant in stride(from: TestNetwork.morning, to: TestNetwork.morning + 900, by: 15) {
        let state = world.state(of: run, at: instant)
        guard state.phase == .running, let last = state.calls.last else { continue }
        let delay = last.departureDelay
        if let before {
          all += 1
          if delay != before { changes += 1 }
          if abs(delay - before) > 30 { leaps += 1 }
        }
        before = delay
      }
    }
    #expect(changes > 100)
    #expect(leaps * 50 < all)
  }

  @Test func `A run begins without delay and is known half an hour before its start`() throws {
    let world = FeedWorld.test(.storm)
    var seen = 0
    for run in world.allRuns(around: TestNetwork.morning) {
      let start =
        world.timetable.start(of: run.day) + Int64(world.timetable.start(of: run.trip))
      guard world.state(of: run, at: start - FeedWorld.lead - 1).phase != .running else {
        Issue.record("\(run) is known too early")
        continue
      }
      let state = world.state(of: run, at: start - FeedWorld.lead + 1)
      guard state.phase == .running else { continue }
      #expect(state.calls.allSatisfy { $0.departureDelay == 0 && $0.arrivalDelay == 0 })
      seen += 1
    }
    #expect(seen > 500)
  }

  @Test func `A run that has not left is never expected to have left`() {
    let world = FeedWorld.test(.storm, seed: 3)
    var waiting = 0
    for run in world.allRuns(around: TestNetwork.morning) {
      // Where each stop is left in the end: seen once the run has left its last stop but one.
      var left: [Int: Int64] = [:]
      for instant in stride(from: TestNetwork.morning, to: TestNetwork.morning + 1_200, by: 15) {
        let state = world.state(of: run, at: instant)
        guard state.phase == .running else { continue }
        for call in state.calls {
          if let departure = left[call.position] {
            #expect(call.departure == departure)
          } else if call.departure <= instant {
            left[call.position] = call.departure
          } else {
            waiting += 1
          }
        }
      }
    }
    #expect(waiting > 1_000)
  }
}
