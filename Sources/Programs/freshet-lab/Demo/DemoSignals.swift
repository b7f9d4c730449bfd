import Commands
import Dispatch
import Foundation
import Synchronization

/// Ends a demonstration when the process gets a signal to end, or its terminal is closed.
final class DemoSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]
  private let sources: [any DispatchSourceSignal]

  /// Handles the signals until ``stop()``.
  ///
  /// - Parameters:
  ///   - end: Is called for the first signal.
  ///   - atOnce: Is called for a second one, before the process ends.
  init(_ end: @escaping @Sendable () -> Void, atOnce: @escaping @Sendable () -> Void) {
    let presses = Presses()
    sources = Self.numbers.map { number in
      SignalSource.make(number) {
        switch presses.next() {
        case 1: end()
        case 2:
          atOnce()
          _exit(128 + number)
        default: break
        }
      }
    }
  }

  /// Restores the default handling of the signals.
  func stop() {
    for source in sources { source.cancel() }
    for number in Self.numbers { signal(number, SIG_DFL) }
  }
}

/// Counts the signals that a person sends: one that comes right behind another was sent together with it.
private final class Presses: Sendable {
  private static let pause = Duration.milliseconds(500)
  private let state = Mutex((count: 0, last: ContinuousClock.Instant?.none))

  /// Returns which signal this is; 0 if it came together with the one before.
  func next() -> Int {
    let now = ContinuousClock.now
    return state.withLock { state in
      defer { state.last = now }
      if let last = state.last, now - last < Self.pause { return 0 }
      state.count += 1
      return state.count
    }
  }
}
