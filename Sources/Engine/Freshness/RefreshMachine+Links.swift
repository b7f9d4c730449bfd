extension RefreshMachine {
  /// Handles what the stream reports (R33).
  mutating func linkReported(_ event: Event, in turn: inout Step) -> Transition {
    guard let push = turn.policy.push else { return .stay }
    if case .linkOpened(let isResumed) = event {
      // R33: changes between the last poll and the opening were not announced.
      let consequence = link.opened(isResumed: isResumed, at: turn.now, push: push)
      return consequence == .resync ? .resync : .stay
    }
    if event == .linkLost { return linkWasLost(in: &turn) == .resync ? .resync : .stay }
    guard link.isLive else {
      turn.effects.notes.insert(.superseded)
      return .stay
    }
    link.heard(at: turn.now, push: push)
    switch event {
    case .linkChanged:
      // R33: an announced change; a request in flight may have left before it.
      if case .asking(let flight, _) = phase {
        return flight.request.longPoll == nil ? .queue(.change) : .stay
      }
      // R23: stream events do not shorten the wait after a transient failure.
      if case .resting(let rest) = phase, rest.cause.isOfTransientFailure { return .stay }
      return .rest(.news, .change)
    case .linkDelivered(let about, let answer):
      return delivered(answer, about: about, in: &turn)
    case .linkGap:
      turn.effects.notes.insert(.linkLost)
      return .resync
    default: return .stay
    }
  }

  /// Records the loss of the stream; polling continues at the normal cadence, and observers do not
  /// notice (R33).
  mutating func linkWasLost(in turn: inout Step) -> PushConnection.Consequence {
    guard let push = turn.policy.push else { return .none }
    let consequence = link.lost(at: turn.now, draw: turn.draw, policy: turn.policy, push: push)
    if consequence == .resync { turn.effects.notes.insert(.linkLost) }
    return consequence
  }

  private mutating func delivered(
    _ answer: Answer,
    about delivered: Context,
    in turn: inout Step
  ) -> Transition {
    // R3: an event for another context changes nothing.
    guard delivered == context else {
      turn.effects.notes.insert(.superseded)
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
        in: &turn
      )
    case .unchanged where snapshot != nil:
      verify(
        answer,
        delay: deliveryDelay(answer),
        isRequest: false,
        in: &turn
      )
    default: return .stay
    }
    lastEnd = turn.now
    // R36: an older or a lesser one answers nothing.
    guard turn.effects.snapshot != .hold else { return .stay }
    if postponed?.isForced == false { postponed = nil }
    // R33: a request in flight is still answered, and the safety poll stays due, however often events come.
    // R2: what the user and the application wait for stays due too.
    guard turn.effects.snapshot == .apply, case .resting(let rest) = phase, rest.cause != .cadence,
      rest.wish.origin < .change, !rest.wish.isForced, deferred == nil
    else { return .stay }
    return .rest(.cadence, .schedule)
  }
}
