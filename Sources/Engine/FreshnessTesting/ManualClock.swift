import Synchronization

/// A clock that advances only on request, for tests.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task { try await clock.sleep(for: .seconds(15)) }
/// try await clock.waitForSleepers(atLeast: 1)
/// await clock.advance(by: .seconds(15))
/// try await task.value
/// ```
///
/// Sleepers wake in the order of their deadlines; with equal deadlines, in the order in which they
/// went to sleep. Tests can wait until a task sleeps instead of guessing.
public final class ManualClock: Clock, Sendable {
  /// An instant of one clock: the time since it was created.
  public struct Instant: InstantProtocol {
    /// The time since the clock was created.
    public var offset: Swift.Duration

    /// Creates an instant some time after the clock was created.
    public init(offset: Swift.Duration = .zero) { self.offset = offset }

    /// Returns the instant moved by a duration.
    public func advanced(by duration: Swift.Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// Returns the time to another instant.
    public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

    /// Compares two instants.
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private struct Sleeper {
    var number: Int
    var deadline: Instant
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct Watcher {
    var number: Int
    var count: Int
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now = Instant()
    var lastNumber = 0
    var sleepers: [Sleeper] = []
    var watchers: [Watcher] = []
    /// The sleepers that were canceled before they slept.
    var cancelled: Set<Int> = []
    /// The continuations to resume when a sleeper really runs again.
    var awaited: [Int: CheckedContinuation<Void, Never>] = [:]

    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    mutating func satisfiedWatchers() -> [Watcher] {
      let satisfied = watchers.filter { $0.count <= sleepers.count }
      watchers.removeAll { $0.count <= sleepers.count }
      return satisfied
    }

    /// Removes and returns the sleeper that wakes next, if it wakes by an instant.
    mutating func takeSleeper(until end: Instant) -> Sleeper? {
      let next = sleepers.indices.min {
        (sleepers[$0].deadline, sleepers[$0].number) < (sleepers[$1].deadline, sleepers[$1].number)
      }
      guard let next, sleepers[next].deadline <= end else { return nil }
      return sleepers.remove(at: next)
    }
  }

  private let state = Mutex(State())

  /// Creates a clock at its first instant.
  public init() {}

  /// The current instant.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest step: zero, since every instant is distinct.
  public var minimumResolution: Swift.Duration { .zero }

  /// The number of sleeping tasks.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// The earliest deadline of the sleeping tasks.
  public var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

  // MARK: Sleeping

  /// Sleeps until an instant; returns at once if it has passed.
  ///
  /// The tolerance is not used: the clock is never late.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
    let number = state.withLock { $0.nextNumber() }
    defer { confirm(number) }
    let isAwake = await withTaskCancellationHandler {
      await withCheckedContinuation { lieDown(number, until: deadline, $0) }
    } onCancel: {
      cancelSleeper(number)
    }
    guard isAwake, !Task.isCancelled else { throw CancellationError() }
  }

  private func lieDown(
    _ number: Int,
    until deadline: Instant,
    _ continuation: CheckedContinuation<Bool, Never>
  ) {
    let (isAwake, watchers) = state.withLock { state -> (Bool?, [Watcher]) in
      if state.cancelled.contains(number) { return (false, []) }
      if deadline <= state.now { return (true, []) }
      let sleeper = Sleeper(number: number, deadline: deadline, continuation: continuation)
      state.sleepers.append(sleeper)
      return (nil, state.satisfiedWatchers())
    }
    if let isAwake { continuation.resume(returning: isAwake) }
    for watcher in watchers { watcher.continuation.resume(returning: true) }
  }

  private func cancelSleeper(_ number: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      state.cancelled.insert(number)
      guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
        return nil
      }
      return state.sleepers.remove(at: index)
    }
    sleeper?.continuation.resume(returning: false)
  }

  /// Reports to `advance` that a sleeper runs again, and removes it.
  private func confirm(_ number: Int) {
    let advance = state.withLock { state in
      state.cancelled.remove(number)
      return state.awaited.removeValue(forKey: number)
    }
    advance?.resume()
  }

  // MARK: Time

  /// Advances the time from deadline to deadline, and wakes the sleepers that are due.
  ///
  /// The time is at a sleeper's deadline when it wakes, and advances further when its task runs
  /// again. To wait for a loop that sleeps again, use ``waitForSleepers(atLeast:)``.
  ///
  /// - Parameter span: The time that passes; a negative one counts as zero.
  public func advance(by span: Swift.Duration) async {
    let end = now.advanced(by: max(span, .zero))
    while let sleeper = state.withLock({ $0.takeSleeper(until: end) }) {
      await withCheckedContinuation { confirmation in
        state.withLock { state in
          state.now = max(state.now, sleeper.deadline)
          state.awaited[sleeper.number] = confirmation
        }
        sleeper.continuation.resume(returning: true)
      }
    }
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Waits until at least a number of tasks sleep.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func waitForSleepers(atLeast count: Int) async throws {
    let number = state.withLock { $0.nextNumber() }
    defer { _ = state.withLock { $0.cancelled.remove(number) } }
    let isSatisfied = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state -> Bool? in
          if state.cancelled.contains(number) { return false }
          if state.sleepers.count >= count { return true }
          let watcher = Watcher(number: number, count: count, continuation: continuation)
          state.watchers.append(watcher)
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      cancelWatcher(number)
    }
    guard isSatisfied, !Task.isCancelled else { throw CancellationError() }
  }

  private func cancelWatcher(_ number: Int) {
    let watcher = state.withLock { state -> Watcher? in
      state.cancelled.insert(number)
      guard let index = state.watchers.firstIndex(where: { $0.number == number }) else {
        return nil
      }
      return state.watchers.remove(at: index)
    }
    watcher?.continuation.resume(returning: false)
  }
}
