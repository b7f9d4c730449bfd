import Synchronization

/// A clock whose time moves only when a test says so.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task { try await clock.sleep(for: .seconds(15)) }
/// try await clock.waitForSleepers(atLeast: 1)
/// await clock.advance(by: .seconds(15))
/// try await task.value
/// ```
///
/// Sleepers wake in the order of their deadlines, and those of one deadline in the order in which
/// they lay down. Nothing guesses: who needs to know that a task sleeps waits for it.
public final class ManualClock: Clock, Sendable {
  /// An instant of one clock: the time since it was made.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public var offset: Swift.Duration

    /// Creates an instant some time after the clock was made.
    public init(offset: Swift.Duration = .zero) { self.offset = offset }

    /// Moves the instant.
    public func advanced(by duration: Swift.Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// Measures the time to another instant.
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
    /// Those who were cancelled before they lay down.
    var cancelled: Set<Int> = []
    /// Who is told that a sleeper has really gone on.
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

    /// Takes the sleeper that wakes next, if it wakes until an instant.
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

  /// The present instant.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest step: none, every instant can be told from every other.
  public var minimumResolution: Swift.Duration { .zero }

  /// The number of tasks that sleep.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// The earliest deadline of those who sleep.
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

  /// Tells `advance` that a sleeper runs again, and forgets it.
  private func confirm(_ number: Int) {
    let advance = state.withLock { state in
      state.cancelled.remove(number)
      return state.awaited.removeValue(forKey: number)
    }
    advance?.resume()
  }

  // MARK: Time

  /// Lets time pass, from deadline to deadline, and wakes everybody who is due.
  ///
  /// Time stands at a sleeper's deadline when it wakes, and goes on when its task runs again. What
  /// the task does then is its own affair: a loop that sleeps again is waited for with
  /// ``waitForSleepers(atLeast:)``.
  ///
  /// - Parameter span: The time that passes; a negative one counts as none.
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

  /// Waits until at least some tasks sleep.
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
