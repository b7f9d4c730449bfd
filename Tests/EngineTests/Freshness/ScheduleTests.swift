import Freshness
import Testing

@Suite("Many machines and one alarm")
struct ScheduleTests {
  @Test
  func `R8: the earliest alarm of all machines is the roster's`() {
    var roster = MachineSchedule()
    var dice = SplitMix64(seed: 9)
    var keys: [MachineSchedule.Key] = []
    for _ in 1...200 { keys.append(roster.insert(RefreshMachine(policy: .workspaces))) }
    var now = Moment.start
    for _ in 1...4_000 {
      now = now + .milliseconds(Int64(dice.below(80)))
      let key = keys[dice.below(keys.count)]
      switch dice.below(4) {
      case 0: _ = roster.handle(.started, for: key, at: now, draw: dice.draw())
      case 1: _ = roster.handle(.stopped, for: key, at: now, draw: dice.draw())
      default:
        guard let ticket = roster[key]?.outstanding else { continue }
        let event = Event.answered(ticket, Answer(.content(.plain)))
        _ = roster.handle(event, for: key, at: now, draw: dice.draw())
      }
      while let due = roster.due(at: now) {
        #expect(roster[due]?.alarm == roster.alarm)
        _ = roster.handle(.woke, for: due, at: now, draw: dice.draw())
      }
      #expect(roster.alarm == keys.compactMap { roster[$0]?.alarm }.min())
    }
  }

  @Test
  func `Z2: machines that come and go leave nothing behind`() {
    var roster = MachineSchedule()
    for _ in 1...10_000 {
      let key = roster.insert(RefreshMachine(policy: .workspaces))
      _ = roster.handle(.started, for: key, at: .start, draw: .middle)
      #expect(roster.remove(key) != nil)
      #expect(roster.remove(key) == nil && roster[key] == nil)
      #expect(roster.handle(.woke, for: key, at: .start, draw: .middle) == nil)
    }
    #expect(roster.count == 0 && roster.alarm == nil)
  }
}
