import Foundation
import Synchronization

extension StaticCheck {
  /// Does work that takes long without occupying the threads that handle requests.
  ///
  /// - Returns: The result; `nil` as soon as the task is cancelled, so that a server that ends does not wait for an
  ///   import. The end of the process then ends the work, which is no worse than a kill.
  @concurrent
  static func offload<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result
  ) async -> Result? {
    let answer = FirstAnswer<Result?>()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer.wait(continuation)
        DispatchQueue.global(qos: .utility).async { answer.give(work()) }
      }
    } onCancel: {
      answer.give(nil)
    }
  }
}

/// Resumes a continuation with the first of several answers, which may come before it.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Value, Never>)
    case answered(Value)
    case over
  }

  private let state = Mutex(State.open)

  func wait(_ continuation: CheckedContinuation<Value, Never>) {
    let early = state.withLock { state -> Value? in
      if case .answered(let value) = state {
        state = .over
        return .some(value)
      }
      state = .waiting(continuation)
      return nil
    }
    if let early { continuation.resume(returning: early) }
  }

  func give(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .open:
        state = .answered(value)
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .answered, .over: return nil
      }
    }
    waiting?.resume(returning: value)
  }
}
