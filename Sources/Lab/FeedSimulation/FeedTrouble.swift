/// A fault that a person turns on for all publications of a producer, until it is turned off.
package enum FeedTrouble: Hashable, Sendable {
  /// Every request is answered with 503.
  case unavailable
  /// Every publication ends after half of its bytes.
  case half
  /// The clock that stamps the publications is this many seconds ahead; the content is right.
  case ahead(Int64)

  /// The fault of each response; `nil` if responses are complete.
  var fault: FeedFault? {
    switch self {
    case .unavailable: .serverError(503)
    case .half: .truncated(500)
    case .ahead: nil
    }
  }
}

extension FeedAnswer {
  /// Returns the response of the same producer in trouble.
  package func inTrouble(_ trouble: FeedTrouble) -> FeedAnswer {
    let ahead: Int64 = if case .ahead(let seconds) = trouble { seconds } else { 0 }
    return FeedAnswer(
      stream: stream,
      tick: tick,
      fault: trouble.fault ?? fault,
      nextInstant: nextInstant,
      ahead: ahead
    )
  }
}
