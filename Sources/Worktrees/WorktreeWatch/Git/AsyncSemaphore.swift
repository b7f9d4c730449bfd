import Synchronization

/// Limits the number of concurrent tasks; the others wait in order of arrival.
///
/// A task that takes long gives up its permit, so that a hanging one delays no other (``run(patience:_:)``).
final class AsyncSemaphore: Sendable {
  private struct State {
    var free: Int
    var next = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Mutex<State>
  private let late = Mutex(0)
  private let mostLate: Int

  /// Creates a semaphore.
  ///
  /// - Parameters:
  ///   - count: The number of permits.
  ///   - late: The number of further tasks that may run because earlier ones take long.
  init(_ count: Int, late: Int = 0) {
    state = Mutex(State(free: max(1, count)))
    mostLate = late
  }

  /// Runs something inside.
  ///
  /// - Parameters:
  ///   - patience: After how many seconds it gives up its permit, if not too many have done so.
  ///   - body: The work.
  /// - Returns: What the body returns.
  /// - Throws: `CancellationError` if the task is cancelled while it waits; what the body throws.
  func run<Result>(patience: Double, _ body: () async throws -> Result) async throws -> Result {
    try await enter()
    // Whether it still has its place, has given it to another one, or has ended.
    let stay = Stay()
    let timer = Task {
      try? await Task.sleep(for: .seconds(patience))
      guard !Task.isCancelled, takesLate() else { return }
      if stay.becomesLate() { leave() } else { late.withLock { $0 -= 1 } }
    }
    defer {
      timer.cancel()
      if stay.ends() { late.withLock { $0 -= 1 } } else { leave() }
    }
    return try await body()
  }

  private func takesLate() -> Bool {
    late.withLock { late in
      guard late < mostLate else { return false }
      late += 1
      return true
    }
  }

  /// Whether a running task has given up its permit.
  private final class Stay: Sendable {
    private let state = Mutex((isLate: false, hasEnded: false))

    func becomesLate() -> Bool {
      state.withLock { state in
        guard !state.hasEnded else { return false }
        state.isLate = true
        return true
      }
    }

    /// Ends it, and says whether the place was given away.
    func ends() -> Bool {
      state.withLock { state in
        state.hasEnded = true
        return state.isLate
      }
    }
  }

  func enter() async throws {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isIn = state.withLock { state -> Bool? in
          if Task.isCancelled { return nil }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiting.append((number, continuation))
          return false
        }
        if isIn == nil { continuation.resume(throwing: CancellationError()) }
        if isIn == true { continuation.resume() }
      }
    } onCancel: {
      let gone = state.withLock { state in
        let place = state.waiting.firstIndex { $0.number == number }
        return place.map { state.waiting.remove(at: $0).continuation }
      }
      gone?.resume(throwing: CancellationError())
    }
  }

  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume()
  }
}
