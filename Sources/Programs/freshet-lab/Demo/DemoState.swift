import Demonstration
import FeedSimulation
import GTFSRealtime
import Synchronization

/// What is broken, and the truth about the data: what the parts of a demonstration read at any time.
final class DemoState: Sendable {
  private struct State {
    var breakage = Breakage()
    /// What of it has been carried out.
    var applied = Breakage()
    var producer: FeedTrouble?
    var truth = SourceTruth()
    var lists = 0
  }

  private let state = Mutex(State())
  private let published = DemoPort()

  /// What is broken.
  var breakage: Breakage { state.withLock(\.breakage) }
  /// The trouble that the producer is in.
  var producer: FeedTrouble? { state.withLock(\.producer) }
  /// When the data was made that a page can have, in milliseconds since 1970-01-01T00:00:00Z.
  var madeAt: Int64? { state.withLock(\.truth.madeAt) }

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
  func set(_ trouble: FeedTrouble?) { state.withLock { $0.producer = trouble } }

  /// What reaches the pages has changed.
  func truthChanges() { state.withLock { $0.truth.change(to: $0.breakage) } }

  /// The server has received a publication.
  func received(_ stream: FeedStream, _ tick: FeedTick) {
    guard stream == .tripUpdates else { return }
    state.withLock { $0.truth.receive(madeAt: tick.sourceTime * 1_000) }
    published.open(1)
  }

  /// Waits until the server has received a publication.
  func firstPublication() async throws { _ = try await published.number }

  /// The number of the next list of books; with `isFirst`, `nil` if there was one.
  func nextList(isFirst: Bool) -> Int? {
    state.withLock { state in
      guard !isFirst || state.lists == 0 else { return nil }
      state.lists += 1
      return state.lists
    }
  }
}
