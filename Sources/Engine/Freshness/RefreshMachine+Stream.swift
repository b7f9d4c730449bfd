extension RefreshMachine {
  /// Handles what the stream reports (R33).
  mutating func streamReported(_ event: Event, in step: inout Step) -> Transition {
    guard let push = step.policy.push else { return .stay }
    if case .streamOpened(let isResumed) = event {
      // R33: changes between the last poll and the opening were not announced.
      let consequence = connection.opened(isResumed: isResumed, at: step.now, push: push)
      return consequence == .resync ? .resync : .stay
    }
    if event == .streamLost { return streamWasLost(in: &step) == .resync ? .resync : .stay }
    guard connection.isLive else {
      step.effects.notes.insert(.superseded)
      return .stay
    }
    connection.heard(at: step.now, push: push)
    switch event {
    case .streamChanged:
      // R33: an announced change; a request in flight may have left before it.
      if case .requesting(let inFlight, _) = phase {
        return inFlight.request.longPoll == nil ? .queue(.change) : .stay
      }
      // R23: stream events do not shorten the wait after a transient failure.
      if case .waiting(let wait) = phase, wait.cause.isOfTransientFailure { return .stay }
      return .wait(.change, .change)
    case .streamDelivered(let about, let answer):
      return delivered(answer, about: about, in: &step)
    case .streamGap:
      step.effects.notes.insert(.streamLost)
      return .resync
    default: return .stay
    }
  }

  /// Records the loss of the stream; polling continues at the normal cadence, and observers do not
  /// notice (R33).
  mutating func streamWasLost(in step: inout Step) -> PushConnection.Consequence {
    guard let push = step.policy.push else { return .none }
    let consequence = connection.lost(
      at: step.now,
      random: step.random,
      policy: step.policy,
      push: push
    )
    if consequence == .resync { step.effects.notes.insert(.streamLost) }
    return consequence
  }

  private mutating func delivered(
    _ answer: Answer,
    about delivered: Context,
    in step: inout Step
  ) -> Transition {
    // R3: an event for another context changes nothing.
    guard delivered == context else {
      step.effects.notes.insert(.superseded)
      return .stay
    }
    switch answer.outcome {
    case .content(let content):
      _ = receive(
        content,
        of: answer,
        delay: deliveryDelay(answer),
        isForced: false,
        isRequest: false,
        in: &step
      )
    case .unchanged where snapshot != nil:
      verify(
        answer,
        delay: deliveryDelay(answer),
        isRequest: false,
        in: &step
      )
    default: return .stay
    }
    lastEnd = step.now
    // R36: an older or a lesser one answers nothing.
    guard step.effects.snapshot != .keep else { return .stay }
    if postponed?.isForced == false { postponed = nil }
    // R33: a request in flight is still answered, and the safety poll stays due, however often events come.
    // R2: what the user and the application wait for stays due too.
    guard step.effects.snapshot == .apply, case .waiting(let wait) = phase, wait.cause != .cadence,
      wait.refresh.reason < .change, !wait.refresh.isForced, deferred == nil
    else { return .stay }
    return .wait(.cadence, .schedule)
  }
}
