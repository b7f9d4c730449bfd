package import Dispatch
import Foundation

/// Handles signals with closures.
package enum SignalSource {
  /// Handles a signal from the moment this returns.
  ///
  /// Dispatch registers a source later, on its own thread. Until then an ignored signal would be
  /// lost, and another one would end the process without output, so this waits.
  ///
  /// - Parameters:
  ///   - number: The signal.
  ///   - handle: Called for each signal, on any thread.
  /// - Returns: The source, to be canceled.
  package static func make(
    _ number: Int32,
    _ handle: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    #if canImport(Darwin)
    // On that platform a source only observes; the action of the signal still happens.
    if number != SIGCONT, number != SIGWINCH { signal(number, SIG_IGN) }
    #endif
    let isRegistered = DispatchSemaphore(value: 0)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handle)
    source.setRegistrationHandler { isRegistered.signal() }
    source.resume()
    isRegistered.wait()
    return source
  }
}
