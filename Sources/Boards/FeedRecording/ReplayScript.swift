import GTFSRealtime

extension FeedRecording {
  /// The schedule of a replay of one feed: the recorded responses in order.
  ///
  /// A value without a clock. Invariants:
  /// 1. Every response from the first relevant one is delivered once, in order of time, never
  /// before
  ///    its instant.
  /// 2. A response that would have exceeded the listener's timeout is delivered as a timeout, at
  /// the
  ///    instant of that timeout.
  package struct ReplayScript: Sendable {
    /// A response and the instant at which it is delivered, in milliseconds since 1970-01-01T00:00:00Z.
    package struct Step: Hashable, Sendable {
      /// When it is delivered.
      package let instant: Int64
      /// The recorded response.
      package let answer: Answer
      /// Whether it is delivered as a timeout, because it took too long.
      package let isTimeout: Bool
    }

    /// What to do now.
    package enum Playback: Hashable, Sendable {
      /// Deliver a step.
      case notify(Step)
      /// Wait until an instant, in milliseconds since 1970-01-01T00:00:00Z.
      case wait(until: Int64)
      /// Nothing remains.
      case over
    }

    private let steps: [Step]
    private var next: Int

    /// Creates the schedule of a replay that starts at an instant.
    ///
    /// Responses from before the start are delivered at once, beginning with the content that was
    /// in force ``Limits/memory`` before it.
    ///
    /// - Parameters:
    ///   - answers: The responses of one feed, ordered by arrival.
    ///   - start: When the replay starts, in milliseconds since 1970-01-01T00:00:00Z.
    ///   - patience: The listener's timeout, in milliseconds.
    package init(_ answers: [Answer], from start: Int64, patience: Int64) {
      let steps = answers.enumerated()
        .map { place, answer in
          let isTimeout = answer.duration > patience || answer.failure == noAnswerInTime
          let instant =
            answer.arrival - (isTimeout ? max(answer.duration - patience, 0) : 0)
          return (place, Step(instant: instant, answer: answer, isTimeout: isTimeout))
        }
        .sorted { ($0.1.instant, $0.0) < ($1.1.instant, $1.0) }
        .map(\.1)
      self.steps = steps
      next =
        steps.lastIndex {
          $0.instant <= start - Limits.memory && $0.bringsContent
        } ?? steps.startIndex
    }

    /// Whether there is nothing to deliver.
    package var isEmpty: Bool { steps.isEmpty }

    /// Returns what to do at an instant, in milliseconds since 1970-01-01T00:00:00Z; a step that is
    /// returned is done.
    package mutating func turn(at now: Int64) -> Playback {
      guard next < steps.count else { return .over }
      let step = steps[next]
      guard step.instant <= now else { return .wait(until: step.instant) }
      next += 1
      return .notify(step)
    }
  }
}

extension FeedRecording.ReplayScript.Step {
  fileprivate var bringsContent: Bool { !isTimeout && answer.isSuccess && answer.body != nil }
}
