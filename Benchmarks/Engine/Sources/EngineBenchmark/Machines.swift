import Freshness

/// The machine alone: no clock, no tasks, no transport.
enum Machines {
  /// One poll cycle: the alarm goes off, a request goes out, its answer says "not modified".
  ///
  /// - Returns: Nanoseconds of processor time a cycle.
  static func cycle(count: Int) async -> Double {
    var machine = RefreshMachine(policy: .workspaces, context: Context(question: 1))
    var draw = UInt32(1)
    func next() -> RandomSample {
      draw = draw &* 1_664_525 &+ 1_013_904_223
      return RandomSample(bits: draw)
    }
    var now = Moment.start
    _ = machine.handle(.started, at: now, draw: next())
    answer(&machine, at: now, draw: next(), .content(Content(Revision(1), validator: Validator(1))))
    let cost = await Meter.cost {
      for _ in 0..<count {
        guard let alarm = machine.alarm else { return }
        now = alarm
        _ = machine.handle(.woke, at: now, draw: next())
        answer(&machine, at: now, draw: next(), .unchanged)
      }
    }
    precondition(machine.snapshot?.verifiedAt == now, "the machine was not polling")
    return cost.processorSeconds / Double(count) * 1e9
  }

  private static func answer(
    _ machine: inout RefreshMachine,
    at now: Moment,
    draw: RandomSample,
    _ outcome: Outcome
  ) {
    guard let ticket = machine.outstanding else { return }
    _ = machine.handle(.answered(ticket, Answer(outcome)), at: now, draw: draw)
  }

  /// Many machines under one alarm.
  ///
  /// - Returns: Nanoseconds of processor time a cycle, and bytes a machine.
  static func roster(machines: Int, cycles: Int) async -> (nanoseconds: Double, bytes: Double) {
    var roster = MachineSchedule()
    let prototype = RefreshMachine(policy: .workspaces)
    var draw = UInt32(1)
    func next() -> RandomSample {
      draw = draw &* 1_664_525 &+ 1_013_904_223
      return RandomSample(bits: draw)
    }
    let making = await Meter.cost {
      for number in 0..<machines {
        let key = roster.insert(prototype)
        let context = Context(question: Int64(number))
        _ = roster.handle(.contextChanged(context), for: key, at: .start, draw: next())
        let effects = roster.handle(.started, for: key, at: .start, draw: next())
        guard let ticket = effects?.request?.ticket else { continue }
        let content = Content(Revision(1), validator: Validator(1))
        let answer = Event.answered(ticket, Answer(.content(content)))
        _ = roster.handle(answer, for: key, at: .start, draw: next())
      }
    }
    let polling = await Meter.cost {
      for _ in 0..<cycles {
        guard let now = roster.alarm, let key = roster.due(at: now) else { return }
        let effects = roster.handle(.woke, for: key, at: now, draw: next())
        guard let ticket = effects?.request?.ticket else { continue }
        _ = roster.handle(.answered(ticket, Answer(.unchanged)), for: key, at: now, draw: next())
      }
    }
    return (
      polling.processorSeconds / Double(cycles) * 1e9, making.bytes / Double(machines)
    )
  }
}
