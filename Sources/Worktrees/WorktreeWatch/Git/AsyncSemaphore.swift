import Synchronization

/// Lets in so many at a time; the others wait in the order they came.
final class AsyncSemaphore: Sendable {
  private struct State {
    var free: Int
    var next = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: max(1, count))) }

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
