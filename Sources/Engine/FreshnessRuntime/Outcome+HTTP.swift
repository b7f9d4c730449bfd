import ConditionalHTTP
import Freshness

extension Outcome {
  /// Converts an outcome of HTTP to an outcome of the machine (R21).
  ///
  /// - Parameters:
  ///   - outcome: The outcome of HTTP.
  ///   - content: The body, if one was read.
  ///   - hasCopy: Whether there is a copy that "not modified" could refer to.
  ///   - reason: The number of the message for an unusable response.
  init(_ outcome: ResponseOutcome, content: Content?, hasCopy: Bool, reason: Int32) {
    switch outcome {
    case .modified: self = content.map { .content($0) } ?? .undecodable(reason: reason)
    case .notModified: self = .unchanged
    // R17: without a copy this leads to one more request. With one, it answers a request that was
    // never made, and confirms nothing.
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
