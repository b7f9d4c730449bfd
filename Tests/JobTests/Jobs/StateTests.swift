import Jobs
import Testing

@Suite struct `States of a job` {
  @Test func `a terminal state never changes, but to expired`() {
    for state in JobState.allCases where state.isTerminal {
      for cause in JobCause.allCases {
        let next = state.after(cause)
        #expect(next == (cause == .expire ? .expired : nil), "\(state) \(cause)")
      }
    }
  }

  @Test func `cancelling is idempotent and stops what waits at once`() {
    #expect(JobState.queued.after(.cancel) == .canceled)
    #expect(JobState.running.after(.cancel) == .canceling)
    #expect(JobState.canceling.after(.cancel) == .canceling)
    #expect(JobState.canceling.after(.stop) == .canceled)
    #expect(JobState.running.after(.stop) == nil)
  }

  @Test func `work goes on after a crash where it was, also on its way to stopping`() {
    #expect(JobState.running.after(.begin) == .running)
    #expect(JobState.canceling.after(.begin) == .canceling)
  }

  @Test func `whatever happens in whatever order, there is one terminal state`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var state = JobState.queued
      var terminal: Set<JobState> = []
      for _ in 0..<12 {
        guard let cause = JobCause.allCases.randomElement(using: &random) else { continue }
        state = state.after(cause) ?? state
        if state.isTerminal, state != .expired { terminal.insert(state) }
      }
      #expect(terminal.count <= 1)
    }
  }
}

@Suite struct `Progress` {
  @Test func `it never falls, whatever a pipeline reports`() {
    var scale = ProgressScale([JobPhase("a", weight: 1), JobPhase("b", weight: 3)])
    #expect(scale.move(to: "a", 0.5) == 0.125)
    #expect(scale.move(to: "b", 0) == 0.25)
    #expect(scale.move(to: "a", 1) == 0.25)
    #expect(scale.move(to: "b", 2) == 1)
    #expect(scale.move(to: "b", -1) == 1)
    #expect(scale.move(to: "c", 0) == 1)
    #expect(scale.move(to: "a", .nan) == 1)
  }

  @Test func `work that goes on begins where it was`() {
    var scale = ProgressScale([JobPhase("a", weight: 1)], from: 0.4)
    #expect(scale.move(to: "a", 0.1) == 0.4)
    #expect(scale.move(to: "a", 0.5) == 0.5)
  }
}

@Suite struct `Positions of events` {
  @Test(arguments: ["1.17", "0.0"]) func `positions are read as they are written`(_ text: String) {
    #expect(EventPosition(parsing: text)?.description == text)
  }

  @Test(arguments: ["", "1", "1.", ".1", "-1.2", "1.-2", "1.2.3", "a.b", "99999999999999999999.1"])
  func `other texts are not positions`(_ text: String) {
    #expect(EventPosition(parsing: text) == nil)
  }
}

@Suite struct `A listener that reads slowly` {
  private func event(_ seq: Int64, _ body: JobEvent.Body? = nil) -> JobEvent {
    JobEvent(
      position: EventPosition(epoch: 1, seq: seq),
      at: seq,
      body: body ?? .progress(JobProgress(fraction: Double(seq) / 1_000))
    )
  }

  @Test func `it gets everything in order while there is room`() {
    var queue = SubscriberQueue(after: 2, most: 10)
    for seq in 1...8 as ClosedRange<Int64> { queue.push(event(seq)) }
    queue.push(event(5))
    var seen: [Int64] = []
    while let entry = queue.pop() {
      seen.append(entry.event.position.seq)
      #expect(entry.covers == entry.event.position.seq)
    }
    #expect(seen == [3, 4, 5, 6, 7, 8])
  }

  @Test func `it does not get what it has, though that waits`() {
    var queue = SubscriberQueue(after: 0, most: 10)
    for seq in 1...6 as ClosedRange<Int64> { queue.push(event(seq)) }
    #expect(queue.newest == event(6))
    #expect(queue.pop(after: 3)?.event == event(4))
    #expect(queue.count == 2)
    #expect(queue.pop(after: 3)?.event == event(5))
    #expect(queue.pop(after: 6) == nil)
    #expect(queue.isEmpty)
    #expect(queue.newest == nil)
  }

  @Test func `progress gives way to newer progress, and says so; start and end are never left out`()
  {
    var queue = SubscriberQueue(after: 0, most: 8)
    queue.push(event(1, .started(phases: [], total: nil)))
    for seq in 2...500 as ClosedRange<Int64> { queue.push(event(seq)) }
    queue.push(event(501, .ended(JobCompletion())))
    #expect(queue.count <= 9)
    var entries: [SubscriberQueue.Entry] = []
    while let entry = queue.pop() { entries.append(entry) }
    #expect(entries.first?.event.position.seq == 1)
    #expect(entries.last?.event.isTerminal == true)
    // Nothing is lost: each covers all that were left out before it.
    var next: Int64 = 1
    for entry in entries {
      #expect(entry.covers == next)
      next = entry.event.position.seq + 1
    }
    #expect(next == 502)
  }

  @Test func `any order of pushes and pops leaves no gap`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var queue = SubscriberQueue(after: 0, most: Int.random(in: 1...6, using: &random))
      var next: Int64 = 1
      var expected: Int64 = 1
      var sawEnd = false
      while next <= 60 || !queue.isEmpty {
        if next <= 60, Bool.random(using: &random) {
          queue.push(
            event(
              next,
              next == 60
                ? .ended(JobCompletion()) : next == 1 ? .started(phases: [], total: 1) : nil
            )
          )
          next += 1
        } else if let entry = queue.pop() {
          #expect(entry.covers == expected)
          expected = entry.event.position.seq + 1
          sawEnd = entry.event.isTerminal
        }
      }
      #expect(expected == 61)
      #expect(sawEnd)
    }
  }
}

@Suite struct `Limits by name` {
  @Test func `every limit has its own name`() {
    let usual = JobLimits()
    #expect(JobLimits.names.count == Set(JobLimits.names).count)
    #expect(JobLimits.names.count == Mirror(reflecting: usual).children.count)
    for name in JobLimits.names {
      var limits = usual
      let isSet = limits.set(name, to: 7_654_321)
      #expect(isSet)
      #expect(limits != usual)
      let changed = zip(Mirror(reflecting: limits).children, Mirror(reflecting: usual).children)
        .filter { $0.0.value as? Int != $0.1.value as? Int }
      #expect(changed.map(\.0.label) == [name])
    }
  }

  @Test func `what there is not, and what is out of bounds, is refused`() {
    var limits = JobLimits()
    let wrong = [("csvbytes", 1), ("csvBytes", 0), ("csvBytes", JobLimits.largest + 1)]
    for (name, value) in wrong {
      let isSet = limits.set(name, to: value)
      #expect(!isSet, "\(name)")
    }
    #expect(limits == JobLimits())
  }
}

@Suite struct `The counts of a completion` {
  @Test func `rows without anything in them are neither successes nor failures`() {
    var completion = JobCompletion()
    completion.add([.imported: 5, .updated: 1, .duplicate: 2, .failed: 3, .blank: 4])
    #expect([completion.successes, completion.failures, completion.total] == [8, 3, 11])
    #expect(completion.counts["blank"] == 4)
    completion.add([.blank: 2])
    #expect([completion.successes, completion.failures, completion.total] == [0, 0, 0])
  }
}
