import Dispatch
import Foundation
import Synchronization

/// Turns SIGINT and SIGTERM into a call, so that a command ends with its last words.
final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  /// Takes the signals over until ``stop()``.
  init(_ end: @escaping @Sendable () -> Void) {
    let told = SignalFlag()
    sources = [SIGINT, SIGTERM].map { number in
      SignalSource.make(number) {
        // Who asks twice does not want to wait for a terminal that does not take the last words.
        if told.raise() { _exit(128 + number) }
        end()
      }
    }
  }

  /// Gives the signals back.
  func stop() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}

/// Whether a signal has come.
private final class SignalFlag: Sendable {
  private let flag = Atomic(false)

  /// Raises the flag; tells whether it was raised before.
  func raise() -> Bool { flag.exchange(true, ordering: .relaxed) }
}
