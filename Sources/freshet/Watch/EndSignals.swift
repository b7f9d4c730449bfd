import Dispatch
import Foundation

/// Turns SIGINT and SIGTERM into a call, so that a command ends with its last words.
final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  /// Takes the signals over until ``stop()``.
  init(_ end: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { end() }
      source.resume()
      return source
    }
  }

  /// Gives the signals back.
  func stop() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}
