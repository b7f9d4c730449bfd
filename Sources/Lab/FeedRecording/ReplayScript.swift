import GTFSRealtime

extension FeedRecording {
  /// What a listener to one feed is told, and when: the answers of a recording, one after the other.
  ///
  /// A value without a clock. Invariants
  /// 1. Every answer from the first one that matters is told once, in the order of the instants, never
  ///    before its instant.
  /// 2. An answer for which the listener would not have waited is told as a time-out, at the instant at
  ///    which its patience would have ended.
  package struct ReplayScript: Sendable {
    /// One answer and the instant at which it is told, in milliseconds since 1970-01-01T00:00:00Z.
    package struct Step: Hashable, Sendable {
      /// When it is told.
      package let instant: Int64
      /// What was recorded.
      package let answer: Answer
      /// Whether the listener does not get it, because it took too long.
      package let isTimeout: Bool
    }

    /// What to do now.
    package enum Playback: Hashable, Sendable {
      /// Tell a step.
      case tell(Step)
      /// Wait until an instant, in milliseconds since 1970-01-01T00:00:00Z.
      case wait(until: Int64)
      /// Nothing comes any more.
      case over
    }

    private let steps: [Step]
    private var next: Int

    /// Writes the script of a replay that starts at an instant.
    ///
    /// What had arrived before the start is told at once, from the content that was in force
    /// ``Limits/memory`` before it.
    ///
    /// - Parameters:
    ///   - answers: The answers of one feed, ordered by arrival.
    ///   - start: When the replay starts, in milliseconds since 1970-01-01T00:00:00Z.
    ///   - patience: How long the listener waits for an answer, in milliseconds.
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

    /// Whether nothing was ever to be told.
    package var isEmpty: Bool { steps.isEmpty }

    /// Says what to do at an instant, in milliseconds since 1970-01-01T00:00:00Z; a step that is told is
    /// done.
    package mutating func turn(at now: Int64) -> Playback {
      guard next < steps.count else { return .over }
      let step = steps[next]
      guard step.instant <= now else { return .wait(until: step.instant) }
      next += 1
      return .tell(step)
    }
  }
}

extension FeedRecording.ReplayScript.Step {
  fileprivate var bringsContent: Bool { !isTimeout && answer.isSuccess && answer.body != nil }
}
