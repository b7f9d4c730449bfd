import Freshness

/// The event stream, with gaps and silent failures.
extension World {
  mutating func obey(_ order: PushCommand) {
    switch order {
    case .close:
      isStreamOpen = false
      // Events in transit still arrive.
      streamAt = faults.has(.lateAnswers) && random.oneIn(3) ? now + random.below(400) : nil
    case .open:
      isStreamOpen = false
      streamAt = faults.has(.streamFaults) && random.oneIn(6) ? nil : now + 30 + random.below(900)
    }
  }

  mutating func streamEvent() -> Event {
    let heartbeat = policy.push?.heartbeat.milliseconds ?? 15_000
    guard isStreamOpen else {
      if faults.has(.streamFaults), random.oneIn(3) {
        streamAt = nil
        return .streamLost
      }
      isStreamOpen = true
      streamAt = now + random.below(heartbeat)
      return .streamOpened(isResumed: random.oneIn(2))
    }
    if faults.has(.streamFaults) {
      switch random.below(40) {
      case 0:
        isStreamOpen = false
        streamAt = random.oneIn(2) ? now + random.below(50) : nil
        return .streamLost
      case 1:
        // It fails silently.
        isStreamOpen = true
        streamAt = nil
        return .streamHeard
      case 2:
        streamAt = now + random.below(heartbeat)
        return .streamGap
      default: break
      }
    }
    let change = max(server.producer.nextAt, now + 1)
    streamAt = min(now + heartbeat - random.below(heartbeat / 8 + 1), change)
    switch random.below(6) {
    case 0: return .streamHeard
    case 1, 2:
      var about = context
      if faults.has(.foreignAnswers), random.oneIn(10) { about.question += 1 }
      var metadata = server.metadata(at: now, &random)
      // A value that states when it was made, and nothing else.
      if metadata.fetchedAt != nil, now % 4 == 0 {
        metadata.serverTime = nil
        metadata.cacheAge = nil
      }
      let hints = server.hints(at: now)
      if random.oneIn(5) {
        return .streamDelivered(about, Answer(.unchanged, metadata: metadata, hints: hints))
      }
      let content = server.content(about, &random)
      return .streamDelivered(about, Answer(.content(content), metadata: metadata, hints: hints))
    default: return .streamChanged
    }
  }
}
