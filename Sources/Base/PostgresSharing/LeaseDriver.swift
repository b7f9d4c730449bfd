import Synchronization

/// Carries out what a lease decides: statements, timers, and the work of the owner.
package final class LeaseDriver: Sendable {
  /// The answer to a statement about a lease.
  package struct Answer: Hashable, Sendable {
    /// The row.
    package var row: Lease.Row
    /// Whether the statement counted the beat.
    package var hasCounted: Bool

    /// Creates an answer.
    package init(row: Lease.Row, hasCounted: Bool) {
      self.row = row
      self.hasCounted = hasCounted
    }
  }

  private struct State {
    var lease: Lease
    var takeovers = 0
    /// The last work, to be over before the next one begins.
    var work: Task<Void, Never>?
    var timer: Task<Void, Never>?
  }

  private let origin = ContinuousClock.now
  private let state: Mutex<State>
  private let events: AsyncStream<Lease.Event>
  private let inbox: AsyncStream<Lease.Event>.Continuation
  private let statement: @Sendable (Lease.Statement) async -> Answer?
  private let release: @Sendable (_ fence: Int64) async -> Void
  private let act: @Sendable (_ fence: Int64) async -> Void

  /// Creates the driver of a lease; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - statement: Runs a statement; returns `nil` if it failed.
  ///   - release: Gives the lease back.
  ///   - act: Does the work of the owner under a fence until its task is canceled.
  package init(
    _ limits: LeaseLimits,
    statement: @escaping @Sendable (Lease.Statement) async -> Answer?,
    release: @escaping @Sendable (_ fence: Int64) async -> Void,
    act: @escaping @Sendable (_ fence: Int64) async -> Void
  ) {
    self.statement = statement
    self.release = release
    self.act = act
    state = Mutex(State(lease: Lease(limits, at: .zero)))
    (events, inbox) = AsyncStream.makeStream()
  }

  /// The fence under which this server may act now; `nil` if it may not.
  package var fence: Int64? {
    let now = now
    return state.withLock { $0.lease.fence(at: now) }
  }

  /// Whose lease it is; `nil` while the database does not answer.
  package var owner: Lease.Owner? { state.withLock { $0.lease.owner } }

  /// How often this server became the owner.
  package var takeovers: Int { state.withLock { $0.takeovers } }

  /// Whether another owner was seen to be alive.
  package var hasSeenRenewal: Bool { state.withLock { $0.lease.hasSeenRenewal } }

  /// Notes that the database announced that the lease was given back.
  package func freed() { inbox.yield(.freed) }

  private var now: Duration { origin.duration(to: .now) }

  /// Watches, takes and renews the lease until the task is canceled, then gives it back.
  package func run() async {
    inbox.yield(.woke)
    for await event in events { handle(event) }
    let (effects, work) = state.withLock { state in
      state.timer?.cancel()
      return (state.lease.handle(.ended, at: now, sample: 0), state.work)
    }
    work?.cancel()
    for case .release(let fence) in effects {
      // The task is canceled, and statements with it.
      let release = Task.detached { [release] in await release(fence) }
      await release.value
    }
  }

  private func handle(_ event: Lease.Event) {
    let now = now
    let effects = state.withLock {
      $0.lease.handle(event, at: now, sample: .random(in: 0..<1))
    }
    for effect in effects {
      switch effect {
      case .send(let number, let statement): send(number, statement)
      case .lead(let fence): lead(fence)
      case .stop: state.withLock { $0.work }?.cancel()
      case .release(let fence): Task { [release] in await release(fence) }
      }
    }
    wake()
  }

  /// Schedules the next wake-up of the lease.
  private func wake() {
    state.withLock { state in
      state.timer?.cancel()
      let at = origin + state.lease.wakesAt
      state.timer = Task { [inbox] in
        guard (try? await Task.sleep(until: at, clock: .continuous)) != nil else { return }
        inbox.yield(.woke)
      }
    }
  }

  private func send(_ number: Int, _ statement: Lease.Statement) {
    Task { [self] in
      guard let answer = await self.statement(statement) else {
        inbox.yield(.failed(number: number))
        return
      }
      inbox.yield(.answered(number: number, answer.row, hasCounted: answer.hasCounted))
    }
  }

  private func lead(_ fence: Int64) {
    state.withLock { state in
      state.takeovers += 1
      let before = state.work
      before?.cancel()
      state.work = Task { [act] in
        await before?.value
        if !Task.isCancelled { await act(fence) }
      }
    }
  }
}
