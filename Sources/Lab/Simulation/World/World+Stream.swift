import Freshness

/// The event stream, with gaps and silent failures.
extension World {
  mutating func obey(_ order: PushCommand) {
    switch order {
    case .close:
      isStreamOpen = false
      // Events in transit still arrive.
      streamAt = temper.has(.lateAnswers) && dice.oneIn(3) ? now + dice.below(400) : nil
    case .open:
      isStreamOpen = false
      streamAt = temper.has(.streamFaults) && dice.oneIn(6) ? nil : now + 30 + dice.below(900)
    }
  }

  mutating func streamEvent() -> Event {
    let heartbeat = policy.push?.heartbeat.milliseconds ?? 15_000
    guard isStreamOpen else {
      if temper.has(.streamFaults), dice.oneIn(3) {
        streamAt = nil
        return .linkLost
      }
      isStreamOpen = true
      streamAt = now + dice.below(heartbeat)
      return .linkOpened(isResumed: dice.oneIn(2))
    }
    if temper.has(.streamFaults) {
      switch dice.below(40) {
      case 0:
        isStreamOpen = false
        streamAt = dice.oneIn(2) ? now + dice.below(50) : nil
        return .linkLost
      case 1:
        // It fails silently.
        isStreamOpen = true
        streamAt = nil
        return .linkHeard
      case 2:
        streamAt = now + dice.below(heartbeat)
        return .linkGap
      default: break
      }
    }
    let change = max(server.producer.nextAt, now + 1)
    streamAt = min(now + heartbeat - dice.below(heartbeat / 8 + 1), change)
    switch dice.below(6) {
    case 0: return .linkHeard
    case 1, 2:
      var about = context
      if temper.has(.foreignAnswers), dice.oneIn(10) { about.question += 1 }
      var marks = server.marks(at: now, &dice)
      // A value that states when it was made, and nothing else.
      if marks.fetchedAt != nil, now % 4 == 0 {
        marks.serverTime = nil
        marks.cacheAge = nil
      }
      let hints = server.hints(at: now)
      if dice.oneIn(5) {
        return .linkDelivered(about, Answer(.unchanged, marks: marks, hints: hints))
      }
      let content = server.content(about, &dice)
      return .linkDelivered(about, Answer(.content(content), marks: marks, hints: hints))
    default: return .linkChanged
    }
  }
}
