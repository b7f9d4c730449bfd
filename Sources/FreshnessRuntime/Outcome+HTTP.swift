import ConditionalHTTP
import Freshness

extension Outcome {
  /// Words what HTTP says as the machine understands it (R21).
  init(_ outcome: AnswerOutcome, content: Content?, reason: Int32) {
    switch outcome {
    case .modified: self = content.map { .content($0) } ?? .undecodable(reason: reason)
    case .notModified, .notModifiedWithoutSnapshot: self = .unchanged
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
