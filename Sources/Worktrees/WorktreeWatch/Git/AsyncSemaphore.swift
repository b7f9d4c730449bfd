import Synchronization

/// Lets in so many at a time; the others wait in the order they came.
///
/// Who stays for long makes room for another one, so that what hangs holds up nobody (``run(patience:_:)``).
final class AsyncSemaphore: Sendable {
  private struct State {
    var free: Int
    var next = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Mutex<State>
  private let late = Mutex(0)
  private let mostLate: Int

  /// Creates a gate.
  ///
  /// - Parameters:
  ///   - count: How many are let in at a time.
  ///   - late: How many more may be inside because they have been there for long.
  init(_ count: Int, late: Int = 0) {
    state = Mutex(State(free: max(1, count)))
    mostLate = late
  }

  /// Runs something inside.
  ///
  /// - Parameters:
  ///   - patience: After how many seconds it makes room for another one, if not too many have done so.
  ///   - body: What is run.
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

  /// Whether somebody who is inside has given the place to another one.
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
