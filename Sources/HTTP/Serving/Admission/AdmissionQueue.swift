import Foundation
import FreshResponses
import Synchronization

/// Runs the requests of a server in the order of ``FairAdmission``.
final class AdmissionQueue: Sendable {
  /// The outcomes of requests, for metrics.
  struct Counts: Hashable, Sendable {
    var admitted = 0
    var waited = 0
    var refused: [FairAdmission.Refusal.Reason: Int] = [:]
    var held = 0
    /// The work that was charged, in milliseconds.
    var work = 0.0
  }

  /// A request that came.
  enum Admission: Sendable {
    case runs(FairAdmission.Running, FairAdmission.Quota?)
    case waits(UInt64)
    case refused(FairAdmission.Refusal, FairAdmission.Quota?)
  }

  private struct Waiting {
    var since: Double
    var continuation: CheckedContinuation<FairAdmission.Running, any Error>
  }

  private struct State {
    var order: FairAdmission
    var number: UInt64 = 0
    var waiting: [UInt64: Waiting] = [:]
    /// Those that may run before they began to wait.
    var called: [UInt64: FairAdmission.Running] = [:]
    /// What the requests of each route cost, in milliseconds.
    var costs: [String: Double] = [:]
    var counts = Counts()
    var waits = Histogram()
  }

  /// The cost of a request of a route of which nothing is known, in milliseconds.
  private static let firstCost = 1.0
  /// The part of the newest cost in the mean of a route.
  private static let newestPart = 0.125

  private let state: Mutex<State>
  private let began = ContinuousClock.now

  init(_ slots: FairAdmission.Slots, limits: AdmissionLimits) {
    state = Mutex(State(order: FairAdmission(slots, limits: limits)))
  }

  private var now: Double { began.duration(to: .now).seconds }

  /// How many requests wait for their turn.
  var waiting: Int { state.withLock { $0.order.waiting } }
  /// How long the oldest request has waited, in seconds; 0 if none waits.
  var oldestWait: Double {
    let now = now
    return state.withLock { now - ($0.waiting.values.map(\.since).min() ?? now) }
  }
  /// How many networks are known.
  var known: Int { state.withLock { $0.order.known } }
  /// The outcomes of requests, and how long those that waited did so.
  var counts: (counts: Counts, waits: Histogram) { state.withLock { ($0.counts, $0.waits) } }

  /// The networks that had most work in the last minute.
  func top(_ most: Int) -> [(network: String, work: Double, running: Int, waiting: Int)] {
    let now = now
    return state.withLock { $0.order.top(most, now: now) }
  }

  /// A request came.
  ///
  /// - Parameters:
  ///   - network: Its client.
  ///   - route: Its route; `nil` without one.
  ///   - isRefusable: Whether it may be refused.
  /// - Returns: Its outcome.
  func arrive(_ network: ClientNetwork?, route: String?, isRefusable: Bool) -> Admission {
    let now = now
    let (arrival, calls) = state.withLock { state in
      state.number &+= 1
      let cost = state.costs[route ?? RouteMetrics.noRoute] ?? Self.firstCost
      let (decision, calls) = state.order.arrive(
        state.number,
        network,
        cost: cost,
        isRefusable: isRefusable,
        now: now
      )
      let arrival: Admission
      switch decision {
      case .run(let request):
        state.counts.admitted += 1
        arrival = .runs(request, state.order.quota(request.account, cost: cost))
      case .wait:
        state.counts.admitted += 1
        state.counts.waited += 1
        arrival = .waits(state.number)
      case .refuse(let refusal):
        state.counts.refused[refusal.reason, default: 0] += 1
        arrival = .refused(refusal, state.order.quota(of: network, cost: cost))
      }
      return (arrival, Self.continuations(of: calls, &state))
    }
    Self.resume(calls)
    return arrival
  }

  /// A request wants to continue.
  func resume(_ account: FairAdmission.Account, route: String?) -> Admission {
    let now = now
    return state.withLock { state in
      state.number &+= 1
      let cost = state.costs[route ?? RouteMetrics.noRoute] ?? Self.firstCost
      switch state.order.resume(state.number, account, cost: cost, now: now) {
      case .run(let request): return .runs(request, nil)
      case .wait, .refuse: return .waits(state.number)
      }
    }
  }

  /// Waits for a turn.
  ///
  /// - Throws: `CancellationError` once the task is canceled, without a turn.
  func wait(_ number: UInt64) async throws -> FairAdmission.Running {
    let asked = now
    let request = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state -> Result<FairAdmission.Running, any Error>? in
          if let request = state.called.removeValue(forKey: number) { return .success(request) }
          if Task.isCancelled {
            state.order.abandon(number)
            return .failure(CancellationError())
          }
          state.waiting[number] = Waiting(since: asked, continuation: continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let gone = state.withLock { state in
        let gone = state.waiting.removeValue(forKey: number)
        if gone != nil { state.order.abandon(number) }
        return gone
      }
      gone?.continuation.resume(throwing: CancellationError())
    }
    let waited = now - asked
    state.withLock { $0.waits.record(waited) }
    return request
  }

  /// A request gives its slot back.
  ///
  /// - Returns: What it cost, in milliseconds.
  func end(_ request: FairAdmission.Running) -> Double {
    let now = now
    let (cost, calls) = state.withLock { state in
      let (cost, calls) = state.order.end(request, now: now)
      state.counts.work += cost
      return (cost, Self.continuations(of: calls, &state))
    }
    Self.resume(calls)
    return cost
  }

  /// Learns what a request of a route cost altogether.
  func learn(_ cost: Double, route: String?) {
    let route = route ?? RouteMetrics.noRoute
    state.withLock { state in
      if let mean = state.costs[route] {
        state.costs[route] = mean + (cost - mean) * Self.newestPart
      } else if state.costs.count < AdmissionLimits.routes {
        state.costs[route] = cost
      }
    }
  }

  /// Whether a refusal may be held back; the place is to be given back with ``released()``.
  func holds() -> Bool {
    state.withLock { state in
      guard state.counts.held < AdmissionLimits.heldRefusals else { return false }
      state.counts.held += 1
      return true
    }
  }

  /// A refusal that was held back is sent.
  func released() { state.withLock { $0.counts.held -= 1 } }

  private typealias Continuations = [(
    CheckedContinuation<FairAdmission.Running, any Error>, FairAdmission.Running
  )]

  private static func continuations(
    of calls: [FairAdmission.Call],
    _ state: inout State
  ) -> Continuations {
    var found: Continuations = []
    for call in calls {
      if let waiting = state.waiting.removeValue(forKey: call.requestID) {
        found.append((waiting.continuation, call.request))
      } else {
        state.called[call.requestID] = call.request
      }
    }
    return found
  }

  private static func resume(_ continuations: Continuations) {
    for (continuation, request) in continuations { continuation.resume(returning: request) }
  }
}

extension Duration {
  fileprivate var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
