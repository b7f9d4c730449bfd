import ConditionalHTTP
import HTTPTypes

/// Decides how to respond to one read, as a pure machine.
///
/// ```
///            state: the client has it, and is willing to wait
///   new ────────────────────────────────────────────────────▶ waiting for a change ──┐ state: the same
///    │       state: the client has a newer one                        │      ▲───────┘
///    ├──────────────────────────────────▶ waiting to catch up ────────┤
///    │       state: any other                                         │ state: another; end
///    └────────────────────────────────▶ responded ◀───────────────────┘
/// ```
///
/// Invariants:
/// 1. A client that has state N of an epoch never gets the body of an earlier state of that epoch.
/// 2. A body is sent only if the client does not have the newest state.
/// 3. A wait is granted once, is at most ``ServingLimits/longestWait``, and is named in the response.
public struct ReadExchange: Hashable, Sendable {
  /// What the driver does next.
  public enum Step: Hashable, Sendable {
    /// Wait for the next change, at most this many milliseconds from now; then call ``end(at:)``.
    case wait(milliseconds: Int64)
    /// Continue waiting until the same deadline.
    case waitOn
    /// Respond.
    case respond(ResponsePlan)
  }

  private enum Phase: Hashable {
    case new
    /// For a change; in seconds.
    case forChange(Int64)
    case forCatchUp
  }

  private let conditions: ReadConditions
  private let limits: ServingLimits
  private let policy: ResponsePolicy
  private var phase = Phase.new

  /// Creates the machine for a request.
  ///
  /// - Parameters:
  ///   - conditions: The conditions of the request.
  ///   - limits: The limits.
  ///   - policy: What does not depend on the state.
  public init(
    _ conditions: ReadConditions,
    limits: ServingLimits = ServingLimits(),
    policy: ResponsePolicy = ResponsePolicy()
  ) {
    self.conditions = conditions
    self.limits = limits
    self.policy = policy
  }

  /// Considers the newest state: at the beginning, and after each change.
  ///
  /// - Parameters:
  ///   - state: The newest state.
  ///   - now: Milliseconds since 1970.
  /// - Returns: What to do.
  public mutating func consider(_ state: RepresentationState, at now: Int64) -> Step {
    let isBehind = conditions.newerTag(than: state) != nil || conditions.namesNewer(than: state)
    switch phase {
    case .new where isBehind && limits.catchUpMilliseconds > 0:
      phase = .forCatchUp
      return .wait(milliseconds: limits.catchUpMilliseconds)
    case .new where !isBehind && conditions.isCurrent(state):
      guard let seconds = conditions.grantedWait(longest: limits.longestWait) else { break }
      phase = .forChange(seconds)
      return .wait(milliseconds: seconds * 1_000)
    case .forChange where isBehind || conditions.isCurrent(state), .forCatchUp where isBehind:
      return .waitOn
    default: break
    }
    return .respond(plan(state, at: now))
  }

  /// Ends the wait: its time is over, or the server shuts down.
  ///
  /// - Parameters:
  ///   - state: The newest state.
  ///   - now: Milliseconds since 1970.
  /// - Returns: The response.
  public func end(_ state: RepresentationState, at now: Int64) -> ResponsePlan {
    plan(state, at: now)
  }

  /// Responds at once because there is no place to wait: the preference is not applied.
  ///
  /// - Parameters:
  ///   - state: The newest state.
  ///   - now: Milliseconds since 1970.
  /// - Returns: The response.
  public mutating func refuseWait(_ state: RepresentationState, at now: Int64) -> ResponsePlan {
    phase = .new
    return plan(state, at: now)
  }

  private func plan(_ state: RepresentationState, at now: Int64) -> ResponsePlan {
    let waited: Int64? = if case .forChange(let seconds) = phase { seconds } else { nil }
    func plan(
      _ status: HTTPResponse.Status,
      newer tag: EntityTag? = nil,
      isBehind: Bool = false
    ) -> ResponsePlan {
      ResponsePlan(
        status,
        state,
        newer: tag,
        isBehind: isBehind,
        waited: waited,
        policy: policy,
        at: now
      )
    }
    if let tag = conditions.newerTag(than: state) {
      return plan(.notModified, newer: tag, isBehind: true)
    }
    if conditions.namesNewer(than: state) { return plan(.noContent, isBehind: true) }
    if conditions.names(state) { return plan(.notModified) }
    return plan(conditions.since == state.id && !policy.hasBodySince ? .noContent : .ok)
  }
}
