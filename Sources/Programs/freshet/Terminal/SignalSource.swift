import Dispatch
import Foundation

/// Signals as calls.
enum SignalSource {
  /// Handles a signal from the moment this returns.
  ///
  /// Dispatch registers a source later, on a thread of its own. Until then a signal that is ignored already would be
  /// lost, and one that is not would end the process without last words: so this waits.
  ///
  /// - Parameters:
  ///   - number: The signal.
  ///   - handle: Called for each signal, on any thread.
  /// - Returns: The source, to be canceled.
  static func make(
    _ number: Int32,
    _ handle: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    #if canImport(Darwin)
    // There a source only watches; the action of the signal happens all the same.
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
