import Commands
import Storage
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The signal that ends a backup or a restoration, which notices it between its steps.
///
/// What was made is removed by the code that makes it, so nothing is written while it is removed. A second signal ends the
/// program at once.
final class Interruption: Sendable {
  /// The number of the signal; 0 until there is one.
  private let number: SignalNumber

  private final class SignalNumber: Sendable {
    let value = Atomic<Int32>(0)
  }

  /// Runs work; after a signal the program ends with the code of that signal when the work has failed.
  ///
  /// - Parameter work: Calls ``check()`` between its steps, and removes what it has made if it fails.
  /// - Returns: What the work returns, also if there was a signal that came too late.
  /// - Throws: What the work throws, if there was no signal.
  static func handled<Result>(_ work: (Interruption) throws -> Result) throws -> Result {
    let number = SignalNumber()
    let signals = EndSignals(alsoHangup: true) { number.value.store($0, ordering: .relaxed) }
    defer { signals.stop() }
    do {
      return try work(Interruption(number))
    } catch {
      let received = number.value.load(ordering: .relaxed)
      guard received == 0 else { _exit(128 + received) }
      throw error
    }
  }

  private init(_ number: SignalNumber) { self.number = number }

  /// Ends the work if there was a signal.
  ///
  /// - Throws: ``BackupFailure``, which is not shown.
  func check() throws(BackupFailure) {
    let received = number.value.load(ordering: .relaxed)
    guard received == 0 else { throw BackupFailure(.busy, "signal \(received)") }
  }
}
