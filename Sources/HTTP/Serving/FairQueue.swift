import Foundation
package import Hummingbird
import Synchronization

/// Schedules requests so that no client's requests run before those of another (``FairQueueOrder``).
package final class FairQueue: Sendable {
  /// For how long a client counts as one that asks, in seconds after its last request.
  ///
  /// Longer than the usual time between two questions of a board.
  package static let memorySeconds = 60.0
  /// Processors that the requests of one client leave to others.
  package static let spareProcessors = 1

  private struct State {
    var order: FairQueueOrder<UInt64>
    var number: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    /// Those that may run before they began to wait.
    var called: Set<UInt64> = []
  }

  private let state: Mutex<State>
  private let began = ContinuousClock.now

  /// - Parameter processors: How many requests run at a time.
  package init(processors: Int = ProcessInfo.processInfo.activeProcessorCount) {
    let order = FairQueueOrder<UInt64>(
      most: processors - Self.spareProcessors,
      memory: Self.memorySeconds
    )
    state = Mutex(State(order: order))
  }

  private var now: Double {
    let (seconds, attoseconds) = began.duration(to: .now).components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  /// How many requests wait for their turn.
  var waiting: Int { state.withLock { $0.order.waiting } }

  /// Takes a turn, at once or not.
  ///
  /// - Returns: The number to wait with; `nil` if the request runs.
  func take(_ network: ClientNetwork?) -> UInt64? {
    let now = now
    return state.withLock { state in
      state.number &+= 1
      return state.order.enter(network, state.number, now: now) ? nil : state.number
    }
  }

  /// Waits for a turn.
  ///
  /// - Throws: `CancellationError` once the task is canceled, without a turn.
  func wait(_ number: UInt64, _ network: ClientNetwork?) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state -> Result<Void, CancellationError>? in
          if state.called.remove(number) != nil { return .success(()) }
          if Task.isCancelled {
            state.order.abandon(network, number)
            return .failure(CancellationError())
          }
          state.waiting[number] = continuation
          return nil
        }
        if let outcome { continuation.resume(with: outcome.mapError { $0 }) }
      }
    } onCancel: {
      let gone = state.withLock { state in
        let gone = state.waiting.removeValue(forKey: number)
        if gone != nil { state.order.abandon(network, number) }
        return gone
      }
      gone?.resume(throwing: CancellationError())
    }
  }

  /// Gives a turn back.
  func leave(_ network: ClientNetwork?) {
    let now = now
    let next = state.withLock { state in
      state.order.leave(network, now: now).compactMap { number in
        let continuation = state.waiting.removeValue(forKey: number)
        if continuation == nil { state.called.insert(number) }
        return continuation
      }
    }
    for continuation in next { continuation.resume() }
  }
}

/// The turn of one request.
package final class FairQueuePermit: Sendable {
  /// The turn of the request that the task works on.
  @TaskLocal static var current: FairQueuePermit?

  private let turns: FairQueue
  private let network: ClientNetwork?
  private let isHeld = Atomic(false)

  init(_ turns: FairQueue, _ network: ClientNetwork?) {
    self.turns = turns
    self.network = network
  }

  /// Waits for a turn while the client is connected.
  func take(_ context: some RequestContext) async throws {
    if let number = turns.take(network) {
      let (turns, network) = (turns, network)
      try await context.whileConnected { try await turns.wait(number, network) }
      // A thread that always has a next request of this client never sleeps, and the scheduler would let it run for a whole
      // time slice, some milliseconds, before a thread that another client's request has woken.
      sched_yield()
    }
    isHeld.store(true, ordering: .relaxed)
  }

  /// Waits for the turn, until the task is canceled.
  func take() async throws {
    if let number = turns.take(network) { try await turns.wait(number, network) }
    isHeld.store(true, ordering: .relaxed)
  }

  /// Gives the turn back, if it is held.
  func leave() {
    if isHeld.exchange(false, ordering: .relaxed) { turns.leave(network) }
  }

  /// Gives the turn back while a request waits for something else than a processor, and takes it again.
  ///
  /// - Parameter wait: The wait.
  /// - Returns: The result of the wait.
  /// - Throws: What the wait throws; `CancellationError` once the task is canceled.
  package static func pause<Value>(while wait: () async throws -> Value) async throws -> Value {
    guard let turn = current else { return try await wait() }
    turn.leave()
    let value = try await wait()
    try await turn.take()
    return value
  }
}

/// Lets the requests of paths run by turns of their clients.
package struct FairQueueMiddleware<Context: RequestContext>: RouterMiddleware {
  private let turns: FairQueue
  private let paths: [String]

  /// Creates the middleware.
  ///
  /// - Parameters:
  ///   - turns: The turns.
  ///   - paths: The prefixes of paths whose responses are computationally expensive.
  package init(_ turns: FairQueue, paths: [String]) {
    self.turns = turns
    self.paths = paths
  }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard paths.contains(where: { request.uri.path.hasPrefix($0) }) else {
      return try await next(request, context)
    }
    let turn = FairQueuePermit(turns, ClientNetwork(of: context))
    try await turn.take(context)
    defer { turn.leave() }
    return try await FairQueuePermit.$current.withValue(turn) { try await next(request, context) }
  }
}
