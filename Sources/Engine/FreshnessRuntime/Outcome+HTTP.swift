import ConditionalHTTP
import Freshness

extension Outcome {
  /// Words what HTTP says as the machine understands it (R21).
  ///
  /// - Parameters:
  ///   - outcome: What HTTP says.
  ///   - content: The body, where one was read.
  ///   - hasCopy: Whether there is a copy that "not modified" could be taken to speak of.
  ///   - reason: The number of the words for an answer that cannot be used.
  init(_ outcome: ResponseOutcome, content: Content?, hasCopy: Bool, reason: Int32) {
    switch outcome {
    case .modified: self = content.map { .content($0) } ?? .undecodable(reason: reason)
    case .notModified: self = .unchanged
    // R17: without a copy it leads to one more question. With one, it is an answer to a question that
    // nobody asked, and vouches for nothing.
    case .notModifiedWithoutSnapshot: self = hasCopy ? .undecodable(reason: reason) : .unchanged
    case .badQuestion: self = .refused
    case .unauthorised: self = .unauthorised
    case .gone: self = .gone
    case .throttled(_, let delay): self = .throttled(delay.map { .seconds(($0 + 999) / 1_000) })
    case .serverFailure: self = .serverError
    case .timeout: self = .timedOut
    case .network: self = .unreachable
    case .undecodable: self = .undecodable(reason: reason)
    case .cancelled: self = .cancelled
    }
  }
}
