import Freshness
import Hashing
import Testing

@Suite("Many machines and one alarm")
struct ScheduleTests {
  @Test
  func `R8: the earliest alarm of all machines is the schedule's`() {
    var schedule = MachineSchedule()
    var generator = SplitMix64(seed: 9)
    var keys: [MachineSchedule.Key] = []
    for _ in 1...200 { keys.append(schedule.insert(RefreshMachine(policy: .workspaces))) }
    var now = Instant.start
    for _ in 1...4_000 {
      now = now + .milliseconds(Int64(generator.below(80)))
      let key = keys[generator.below(keys.count)]
      switch generator.below(4) {
      case 0: _ = schedule.handle(.started, for: key, at: now, random: generator.randomSample())
      case 1: _ = schedule.handle(.stopped, for: key, at: now, random: generator.randomSample())
      default:
        guard let ticket = schedule[key]?.outstanding else { continue }
        let event = Event.answered(ticket, Answer(.content(.plain)))
        _ = schedule.handle(event, for: key, at: now, random: generator.randomSample())
      }
      while let due = schedule.due(at: now) {
        #expect(schedule[due]?.alarm == schedule.alarm)
        _ = schedule.handle(.woke, for: due, at: now, random: generator.randomSample())
      }
      #expect(schedule.alarm == keys.compactMap { schedule[$0]?.alarm }.min())
    }
  }

  @Test
  func `Z2: machines that come and go leave nothing behind`() {
    var schedule = MachineSchedule()
    for _ in 1...10_000 {
      let key = schedule.insert(RefreshMachine(policy: .workspaces))
      _ = schedule.handle(.started, for: key, at: .start, random: .middle)
      #expect(schedule.remove(key) != nil)
      #expect(schedule.remove(key) == nil && schedule[key] == nil)
      #expect(schedule.handle(.woke, for: key, at: .start, random: .middle) == nil)
    }
    #expect(schedule.count == 0 && schedule.alarm == nil)
  }
}
