import Demonstration
import FeedSimulation
import Foundation
import GTFSRealtime
import Synchronization

/// What is broken, and the ground truth about the data: what the parts of a demonstration read at any time.
final class DemoState: Sendable {
  private struct State {
    var breakage = Breakage()
    /// What of it has been carried out.
    var applied = Breakage()
    var producer: FeedTrouble?
    /// Whether the producer is mended, and the server has not asked it since.
    var isRecovering = false
    var truth = SourceGroundTruth()
    var lists = 0
  }

  private let state = Mutex(State())

  /// Milliseconds since 1970-01-01T00:00:00Z.
  static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  /// What is broken.
  var breakage: Breakage { state.withLock(\.breakage) }
  /// The trouble that the producer is in.
  var producer: FeedTrouble? { state.withLock(\.producer) }
  /// Whether the producer is mended, and the server has not asked it since.
  var isRecovering: Bool { state.withLock(\.isRecovering) }
  /// What the server was given.
  var truth: SourceGroundTruth { state.withLock(\.truth) }

  /// Breaks or mends things.
  func change(_ change: (inout Breakage) -> Void) { state.withLock { change(&$0.breakage) } }

  /// The steps that are not carried out yet; they count as carried out from now on.
  func takeSteps() -> [Breakage.Step] {
    state.withLock { state in
      defer { state.applied = state.breakage }
      return state.breakage.steps(from: state.applied)
    }
  }

  /// Lets the producer be in trouble, or in none.
  func set(_ trouble: FeedTrouble?) {
    state.withLock { state in
      state.isRecovering = trouble == nil && state.producer != nil
      state.producer = trouble
    }
  }

  /// The server has received a publication.
  func received(_ answer: FeedAnswer) {
    guard answer.stream == .tripUpdates else { return }
    let publication = SourceGroundTruth.Publication(
      madeAt: answer.tick.sourceTime * 1_000,
      arrivedAt: Self.now,
      isStampRight: answer.ahead == 0
    )
    state.withLock { state in
      state.truth.receive(publication)
      if answer.ahead == 0 { state.isRecovering = false }
    }
  }

  /// The number of the next list of books; with `isFirst`, `nil` if there was one.
  func nextList(isFirst: Bool) -> Int? {
    state.withLock { state in
      guard !isFirst || state.lists == 0 else { return nil }
      state.lists += 1
      return state.lists
    }
  }
}
