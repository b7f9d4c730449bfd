import Serving
import Synchronization

/// Counts how boards are answered.
final class BoardMetrics: Sendable {
  /// How a board was answered.
  enum Answer: Int, CaseIterable {
    /// With a rendered board that was made for it.
    case made
    /// With a rendered board that was there.
    case reused
    /// With 304.
    case notModified
    /// With 204.
    case noContent
    /// With a recent copy, because the time was over.
    case staleCopy
    /// With the timetable alone, for want of time.
    case timetableOnly
    /// With 503.
    case refused

    var label: String {
      switch self {
      case .made: "made"
      case .reused: "reused"
      case .notModified: "not_modified"
      case .noContent: "no_content"
      case .staleCopy: "stale_copy"
      case .timetableOnly: "timetable_only"
      case .refused: "refused"
      }
    }
  }

  /// The answers of some threads, by the raw value of ``Answer``.
  private final class Share: Sendable {
    let counts = Mutex([Int](repeating: 0, count: Answer.allCases.count))
    private let distance = ThreadNumber.distance
  }

  private let shares = (0..<ThreadNumber.count).map { _ in Share() }

  /// Counts an answer.
  func count(_ answer: Answer) {
    shares[ThreadNumber.current].counts.withLock { $0[answer.rawValue] += 1 }
  }

  private let covered = Mutex((live: 0, old: 0, none: 0))

  /// Counts the departures of a board that was made.
  func count(_ coverage: BoardCoverage) {
    covered.withLock {
      $0.live += coverage.live
      $0.old += coverage.old
      $0.none += coverage.departures - coverage.live - coverage.old
    }
  }

  /// How many departures carried which realtime.
  var byCoverage: [(String, Int)] {
    let counts = covered.withLock { $0 }
    return [("live", counts.live), ("old", counts.old), ("none", counts.none)]
  }

  /// How many answers of each kind there were.
  var byAnswer: [(Answer, Int)] {
    let shares = shares.map { $0.counts.withLock { $0 } }
    return Answer.allCases.map { answer in (answer, shares.reduce(0) { $0 + $1[answer.rawValue] }) }
  }
}
