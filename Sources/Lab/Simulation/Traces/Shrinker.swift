import Freshness

/// Makes a trace that breaks a rule as short and simple as possible (delta debugging, Zeller 2002).
struct Shrinker<M: Machine> {
  let make: (Policy, Context) -> M
  let rule: Rule
  /// The remaining replays; a limit, so that a report never takes long.
  var budget = 6_000

  /// Returns whether a trace still breaks the rule.
  private mutating func breaks(_ trace: Trace) -> Bool {
    guard budget > 0 else { return false }
    budget -= 1
    return trace.replay(make).violation?.rule == rule
  }

  /// Shrinks a trace that breaks the rule.
  mutating func shrink(_ start: Trace) -> Trace {
    var trace = start
    let replay = trace.replay(make)
    guard replay.violation?.rule == rule else { return start }
    trace.steps = Array(trace.steps.prefix(replay.taken.count))
    var before = 0
    repeat {
      before = trace.steps.count
      remove(from: &trace)
      simplify(&trace)
    } while trace.steps.count < before && budget > 0
    return trace
  }

  /// Removes ever smaller pieces.
  private mutating func remove(from trace: inout Trace) {
    var size = max(trace.steps.count / 2, 1)
    while true {
      var end = trace.steps.count
      while end > 0 {
        let start = max(end - size, 0)
        var shorter = trace
        shorter.steps.removeSubrange(start..<end)
        if !shorter.steps.isEmpty || shorter.recovers, breaks(shorter) {
          trace = shorter
          end = min(start, trace.steps.count)
        } else {
          end = start
        }
      }
      guard size > 1 else { return }
      size = max(size / 2, 1)
    }
  }

  /// Simplifies each step.
  private mutating func simplify(_ trace: inout Trace) {
    for place in trace.steps.indices {
      for change in Self.changes(trace.steps[place]) {
        var plainer = trace
        plainer.steps[place] = change
        if breaks(plainer) { trace = plainer }
      }
    }
  }

  private static func changes(_ step: Trace.Step) -> [Trace.Step] {
    var changes: [Trace.Step] = []
    func propose(_ change: (inout Trace.Step) -> Void) {
      // Each proposal builds on the accepted ones before it: see `Shrinker.simplify`.
      var other = step
      change(&other)
      changes.append(other)
    }
    if step.random != .middle { propose { $0.random = .middle } }
    if step.after != 0 {
      propose { $0.after = 0 }
      let round = step.after / 1_000 * 1_000
      if round != step.after { propose { $0.after = round } }
    }
    if case .answered(let ticket, var answer) = step.event {
      answer.hints = Hints()
      answer.metadata = FreshnessMetadata()
      answer.activity = nil
      answer.deviceTime = nil
      answer.bytes = 0
      answer.decoding = .zero
      let plain = answer
      propose {
        $0.event = .answered(ticket, plain)
        $0.random = .middle
        $0.after = 0
      }
      propose { $0.event = .answered(ticket, plain) }
    }
    return changes
  }
}
