/// A thing that a visitor of a demonstration breaks and mends.
package enum Fault: String, Hashable, Sendable, CaseIterable {
  /// The producer of realtime answers 503.
  case producerDown
  /// The producer's publications end after half of their bytes.
  case halfFeed
  /// The clock that stamps the producer's publications is a day ahead.
  case producerClock
  /// The log and the processes of the agents are suspended.
  case agentsFrozen
  /// git waits forever in the repository.
  case gitHangs
  /// No byte passes between browser and server; connections stay open.
  case networkCut
  /// The server gets a twentieth of its processor time.
  case serverSlow
  /// The server is killed (`kill -9`), and started again when it is mended.
  case serverKilled
  /// The clock that the page reads is a day ahead.
  case browserClock

  /// The pages on which it can be seen.
  package var pages: Set<DemoPage> {
    switch self {
    case .producerDown, .halfFeed, .producerClock: [.board]
    case .agentsFrozen, .gitHangs: [.worktrees]
    case .networkCut, .serverSlow, .serverKilled, .browserClock: Set(DemoPage.allCases)
    }
  }

  /// How many seconds a clock that is wrong is ahead.
  package static let clockAhead: Int64 = 86_400
}
