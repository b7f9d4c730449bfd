import Dispatch
import Foundation
import Synchronization

/// Turns SIGINT and SIGTERM into a call, so that a command can write its final output.
package final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  /// Handles the signals until ``stop()``.
  package convenience init(_ end: @escaping @Sendable () -> Void) {
    self.init(numbered: { _ in end() })
  }

  /// Handles the signals until ``stop()``, by their numbers.
  package init(numbered end: @escaping @Sendable (Int32) -> Void) {
    let told = SignalFlag()
    sources = [SIGINT, SIGTERM].map { number in
      SignalSource.make(number) {
        // A second signal ends the program without waiting for a terminal that is blocked.
        if told.raise() { _exit(128 + number) }
        end(number)
      }
    }
  }

  /// Restores the default handling of the signals.
  package func stop() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}

/// Whether a signal was received.
private final class SignalFlag: Sendable {
  private let flag = Atomic(false)

  /// Raises the flag; returns whether it was raised before.
  func raise() -> Bool { flag.exchange(true, ordering: .relaxed) }
}
