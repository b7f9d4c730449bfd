import Freshness

/// The machine alone: no clock, no tasks, no transport.
enum Machines {
  /// One poll cycle: the alarm goes off, a request goes out, its answer says "not modified".
  ///
  /// - Returns: Nanoseconds of processor time a cycle.
  static func cycle(count: Int) async -> Double {
    var machine = RefreshMachine(policy: .workspaces, context: Context(question: 1))
    var random = UInt32(1)
    func next() -> RandomSample {
      random = random &* 1_664_525 &+ 1_013_904_223
      return RandomSample(bits: random)
    }
    var now = Instant.start
    _ = machine.handle(.started, at: now, random: next())
    answer(
      &machine,
      at: now,
      random: next(),
      .content(Content(Revision(1), validator: Validator(1)))
    )
    let cost = await Meter.cost {
      for _ in 0..<count {
        guard let alarm = machine.alarm else { return }
        now = alarm
        _ = machine.handle(.woke, at: now, random: next())
        answer(&machine, at: now, random: next(), .unchanged)
      }
    }
    precondition(machine.snapshot?.verifiedAt == now, "the machine was not polling")
    return cost.processorSeconds / Double(count) * 1e9
  }

  /// One poll cycle of a board that follows its producer (R31): every second request finds a publication.
  ///
  /// - Returns: Nanoseconds of processor time a cycle.
  static func following(count: Int) async -> Double {
    var machine = RefreshMachine(policy: .departuresWeb, context: Context(question: 1))
    var random = UInt32(1)
    func next() -> RandomSample {
      random = random &* 1_664_525 &+ 1_013_904_223
      return RandomSample(bits: random)
    }
    let (epoch, period) = (Int64(1_800_000_000_000), Int64(30_000))
    var now = Instant.start
    var shown: Int64 = -1
    _ = machine.handle(.started, at: now, random: next())
    let cost = await Meter.cost {
      for _ in 0..<count {
        guard let ticket = machine.outstanding else { return }
        let elapsed = (now - .start).milliseconds
        let publication = elapsed / period
        let metadata = FreshnessMetadata(
          serverTime: WallTime(milliseconds: epoch + elapsed),
          fetchedAt: WallTime(milliseconds: epoch + publication * period)
        )
        let content = Content(Revision(publication + 1), validator: Validator(publication + 1))
        let outcome: Outcome = publication == shown ? .unchanged : .content(content)
        shown = publication
        _ = machine.handle(
          .answered(ticket, Answer(outcome, metadata: metadata)),
          at: now,
          random: next()
        )
        guard let alarm = machine.alarm else { return }
        now = alarm
        _ = machine.handle(.woke, at: now, random: next())
      }
    }
    precondition((now - .start).milliseconds > Int64(count) * period / 4, "it was not polling")
    return cost.processorSeconds / Double(count) * 1e9
  }

  /// Hashing a kilobyte with the standard library's `Hasher`, with which the costs of cycles are compared.
  ///
  /// - Returns: Nanoseconds of processor time.
  static func hash(count: Int) async -> Double {
    let words = (0..<128).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }
    var sum = 0
    let cost = await Meter.cost {
      for number in 0..<count {
        var hasher = Hasher()
        hasher.combine(number)
        words.withUnsafeBytes { hasher.combine(bytes: $0) }
        sum &+= hasher.finalize()
      }
    }
    precondition(sum != 0, "nothing was hashed")
    return cost.processorSeconds / Double(count) * 1e9
  }

  private static func answer(
    _ machine: inout RefreshMachine,
    at now: Instant,
    random: RandomSample,
    _ outcome: Outcome
  ) {
    guard let ticket = machine.outstanding else { return }
    _ = machine.handle(.answered(ticket, Answer(outcome)), at: now, random: random)
  }

  /// Many machines under one alarm.
  ///
  /// - Returns: Nanoseconds of processor time a cycle, and bytes a machine.
  static func schedule(machines: Int, cycles: Int) async -> (nanoseconds: Double, bytes: Double) {
    var schedule = MachineSchedule()
    let prototype = RefreshMachine(policy: .workspaces)
    var random = UInt32(1)
    func next() -> RandomSample {
      random = random &* 1_664_525 &+ 1_013_904_223
      return RandomSample(bits: random)
    }
    let making = await Meter.cost {
      for number in 0..<machines {
        let key = schedule.insert(prototype)
        let context = Context(question: Int64(number))
        _ = schedule.handle(.contextChanged(context), for: key, at: .start, random: next())
        let effects = schedule.handle(.started, for: key, at: .start, random: next())
        guard let ticket = effects?.request?.ticket else { continue }
        let content = Content(Revision(1), validator: Validator(1))
        let answer = Event.answered(ticket, Answer(.content(content)))
        _ = schedule.handle(answer, for: key, at: .start, random: next())
      }
    }
    let polling = await Meter.cost {
      for _ in 0..<cycles {
        guard let now = schedule.alarm, let key = schedule.due(at: now) else { return }
        let effects = schedule.handle(.woke, for: key, at: now, random: next())
        guard let ticket = effects?.request?.ticket else { continue }
        _ = schedule.handle(
          .answered(ticket, Answer(.unchanged)),
          for: key,
          at: now,
          random: next()
        )
      }
    }
    return (
      polling.processorSeconds / Double(cycles) * 1e9, making.bytes / Double(machines)
    )
  }
}
