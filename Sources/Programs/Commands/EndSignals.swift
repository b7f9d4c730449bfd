import Dispatch
import Foundation
import Synchronization

/// Turns SIGINT and SIGTERM, and SIGHUP if asked, into a call, so that a command can write its final output.
package final class EndSignals {
  private let sources: [any DispatchSourceSignal]
  private let numbers: [Int32]

  /// Handles the signals until ``stop()``.
  package convenience init(_ end: @escaping @Sendable () -> Void) {
    self.init(numbered: { _ in end() })
  }

  /// Handles the signals until ``stop()``, by their numbers.
  ///
  /// - Parameters:
  ///   - alsoHangup: Whether to handle SIGHUP too, unless it is ignored, as under nohup(1).
  ///   - end: Called with the number of the first signal.
  package init(alsoHangup: Bool = false, numbered end: @escaping @Sendable (Int32) -> Void) {
    let received = SignalFlag()
    numbers = [SIGINT, SIGTERM] + (alsoHangup && !Self.isIgnored(SIGHUP) ? [SIGHUP] : [])
    sources = numbers.map { number in
      SignalSource.make(number) {
        // A second signal ends the program without waiting for a terminal that is blocked.
        if received.raise() { _exit(128 + number) }
        end(number)
      }
    }
  }

  /// Restores the default handling of the signals.
  package func stop() {
    for source in sources { source.cancel() }
    for number in numbers { signal(number, SIG_DFL) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    let before = signal(number, SIG_IGN)
    signal(number, before)
    return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// Whether a signal was received.
private final class SignalFlag: Sendable {
  private let flag = Atomic(false)

  /// Raises the flag; returns whether it was raised before.
  func raise() -> Bool { flag.exchange(true, ordering: .relaxed) }
}
