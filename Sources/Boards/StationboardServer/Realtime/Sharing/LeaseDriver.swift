import Serving
import Synchronization

/// Carries out what the lease of one source decides: statements, timers, and the polling of a leader.
final class LeaseDriver: Sendable {
  /// What a server knows of a lease, for operators.
  struct Status: Hashable, Sendable {
    /// Whether this server polls the source.
    var isLeader = false
    /// Whose lease it is; `nil` while the database does not answer.
    var owner: SourceLease.Owner?
    /// The name of the server whose lease it was last.
    var ownerName = ""
    /// How often this server became the leader.
    var takeovers = 0
  }

  private struct State {
    var lease: SourceLease
    var status = Status()
    /// The last polling, to be over before the next one begins.
    var polling: Task<Void, Never>?
    var timer: Task<Void, Never>?
  }

  let source: RealtimeSource
  /// The source's id in the database.
  let id: String
  private let store: PostgresPublications
  private let origin = ContinuousClock.now
  private let state: Mutex<State>
  private let events: AsyncStream<SourceLease.Event>
  private let inbox: AsyncStream<SourceLease.Event>.Continuation
  private let poll: @Sendable (LeaseDriver, _ fence: Int64) async -> Void
  private let report: @Sendable (RealtimeSource) -> SourceReport
  private let answered: @Sendable (LeaseDriver, LeaseAnswer?) -> Void

  /// Creates the driver of a source.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - store: The database.
  ///   - report: How the source fares here.
  ///   - answered: Called with each answer of the database, and with `nil` when one is missing.
  ///   - poll: Polls the source and publishes under a fence until its task is canceled.
  init(
    _ source: RealtimeSource,
    in store: PostgresPublications,
    report: @escaping @Sendable (RealtimeSource) -> SourceReport,
    answered: @escaping @Sendable (LeaseDriver, LeaseAnswer?) -> Void,
    poll: @escaping @Sendable (LeaseDriver, _ fence: Int64) async -> Void
  ) {
    self.source = source
    id = PostgresPublications.id(of: source)
    self.store = store
    self.report = report
    self.answered = answered
    self.poll = poll
    state = Mutex(State(lease: SourceLease(store.limits, at: .zero)))
    (events, inbox) = AsyncStream.makeStream()
  }

  /// What operators may know.
  var status: Status { state.withLock { $0.status } }

  /// The fence under which this server may poll and publish now; `nil` if it may not.
  var fence: Int64? {
    let now = now
    return state.withLock { $0.lease.fence(at: now) }
  }

  /// Notes that the database announced that the lease was given back.
  func freed() { inbox.yield(.freed) }

  private var now: Duration { origin.duration(to: .now) }

  /// Follows and leads until the task is canceled, then gives the lease back.
  func run() async {
    inbox.yield(.woke)
    for await event in events { handle(event) }
    let (effects, polling) = state.withLock { state in
      state.timer?.cancel()
      return (state.lease.handle(.ended, at: now, sample: 0), state.polling)
    }
    polling?.cancel()
    for case .release(let fence) in effects {
      // The task is canceled, and statements with it.
      let release = Task.detached { [store, id] in try? await store.release(id, fence: fence) }
      await release.value
    }
  }

  private func handle(_ event: SourceLease.Event) {
    let now = now
    let effects = state.withLock { state in
      let effects = state.lease.handle(event, at: now, sample: .random(in: 0..<1))
      state.status.owner = state.lease.owner
      state.status.isLeader = state.lease.fence(at: now) != nil
      return effects
    }
    for effect in effects {
      switch effect {
      case .send(let number, let statement): send(number, statement)
      case .lead(let fence): lead(fence)
      case .stop: state.withLock { $0.polling }?.cancel()
      case .release(let fence): Task { [store, id] in try? await store.release(id, fence: fence) }
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

  private func send(_ number: Int, _ statement: SourceLease.Statement) {
    Task { [self] in
      do {
        guard let answer = try await store.send(statement, of: id, report(source)) else {
          try await store.add(id, title: source.title)
          inbox.yield(.failed(number: number))
          return
        }
        state.withLock { $0.status.ownerName = answer.ownerName }
        answered(self, answer)
        inbox.yield(.answered(number: number, answer.row, hasCounted: answer.hasCounted))
      } catch {
        answered(self, nil)
        inbox.yield(.failed(number: number))
      }
    }
  }

  private func lead(_ fence: Int64) {
    state.withLock { state in
      state.status.takeovers += 1
      let before = state.polling
      before?.cancel()
      state.polling = Task { [self] in
        await before?.value
        if !Task.isCancelled { await poll(self, fence) }
      }
    }
  }
}
