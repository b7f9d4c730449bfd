import Freshness

/// The event stream: R33.
extension ConformanceOracle {
  mutating func streamed(_ event: Event) -> Obligation {
    guard let push = policy.push else { return .goOn }
    let silence = push.heartbeat.milliseconds * push.watchdogPercent / 100
    switch event {
    case .streamOpened(let isResumed):
      guard case .opening = stream else { return .goOn }
      stream = .live(since: step.now, silentAt: step.now + silence)
      return isResumed ? .goOn : .catchUp
    case .streamLost:
      return loseStream() ? .catchUp : .goOn
    default: break
    }
    guard case .live(let since, _) = stream else {
      step.notes.insert(.superseded)
      step.copyRule = .superseded
      step.failureRule = .superseded
      return .goOn
    }
    stream = .live(since: since, silentAt: step.now + silence)
    switch event {
    case .streamChanged: return changeReported()
    case .streamDelivered(let about, let answer): return delivered(answer, about: about)
    case .streamGap:
      step.notes.insert(.streamLost)
      return .catchUp
    default: return .goOn
    }
  }

  /// R33: an announced change is one request; R23: it does not shorten the wait after a failure.
  private mutating func changeReported() -> Obligation {
    if let out { return out.request.longPoll == nil ? .askOrFollow(change, .push) : .goOn }
    if let wait, wait.reason.isOfTransientFailure { return .goOn }
    return .wait(.change, change.and(owed { $0.reason == .person || $0.isForced }), .push)
  }

  private var change: Want { Want(reason: .change) }

  private mutating func delivered(_ answer: Answer, about delivered: Context) -> Obligation {
    guard delivered == context else {
      step.notes.insert(.superseded)
      step.copyRule = .superseded
      step.failureRule = .superseded
      return .goOn
    }
    step.decoding = max(answer.decoding.milliseconds, 0)
    step.delay = max(answer.delay?.milliseconds ?? pathDelay ?? 0, 0) + step.decoding
    switch answer.outcome {
    case .content(let content):
      var verdict: DowngradeProtection.Verdict?
      _ = receive(content, answer, isForced: false, isFromStream: true, &verdict)
    case .unchanged where copy != nil: verify(answer, endsWait: false)
    default: return .goOn
    }
    lastEnd = step.now
    // R36: an older one answers no request.
    guard step.order != .keep else { return .goOn }
    if let postponed, !postponed.isForced { self.postponed = nil }
    // R33: requests continue, and the safety poll is due as before.
    guard step.order == .apply, let wait, wait.reason != .cadence, wait.want.reason < .change,
      !wait.want.isForced, deferred == nil
    else { return .goOn }
    return .wait(.cadence, .schedule, .oneFollowUp)
  }

  /// R33: a stream is lost once, however often that is reported; observers do not notice.
  ///
  /// - Returns: Whether events may have been missed.
  mutating func loseStream() -> Bool {
    guard let push = policy.push else { return false }
    let wasLive: Bool
    switch stream {
    case .off, .closed, .waiting: return false
    case .opening: wasLive = false
    case .live(let since, _):
      wasLive = true
      if step.now - since >= push.stableAfter.milliseconds { streamAttempts = 0 }
    }
    let backoffStep = ladder(streamAttempts)
    stream = .waiting(least: step.now + backoffStep.least, most: step.now + backoffStep.most)
    streamAttempts = min(streamAttempts + 1, 1_000)
    if wasLive { step.notes.insert(.streamLost) }
    return wasLive
  }

  /// Whether a stream is wanted.
  var wantsStream: Bool {
    isWatched && lifecycle == .foreground && mayAsk && failure?.kind != .gone
  }

  /// Opens and closes the stream: it is wanted while the resource is observed in the foreground, and not gone.
  ///
  /// - Parameter isAfterRequests: Whether the requests of the step are known.
  mutating func updateStream(isAfterRequests: Bool = false) {
    guard let push = policy.push, wantsStream else {
      guard stream != .off, stream != .closed else { return }
      var isStable = false
      if case .live(let since, _) = stream, let push = policy.push {
        isStable = step.now - since >= push.stableAfter.milliseconds
      }
      stream = isStable ? .off : .closed
      streamAttempts = 0
      step.stream = .close
      return
    }
    // R39: no stream is opened while the server asks for a pause, or fails.
    let limit = [bound, restraint.quietUntil?.milliseconds].compactMap { $0 }.max() ?? step.now
    switch stream {
    case .off:
      if limit > step.now {
        stream = .waiting(least: limit, most: limit)
        return
      }
    case .closed:
      // R40: after one that was not stable, it costs as much as a return, and comes after those that wait.
      guard isAfterRequests, postponed == nil, budget.allows(at: step.now, policy) else { return }
      if limit > step.now {
        stream = .waiting(least: limit, most: limit)
        return
      }
      spend(at: step.now)
    case .opening, .live: return
    case .waiting(let least, let most):
      guard step.now >= least else { return }
      if limit > step.now {
        stream = .waiting(least: least, most: max(most, limit))
        return
      }
      // The backoff step is jittered: only the machine knows its sample.
      guard step.now >= most || step.effects.stream == .open else { return }
    }
    stream = .opening(until: step.now + push.openTimeout.milliseconds)
    step.stream = .open
  }
}
