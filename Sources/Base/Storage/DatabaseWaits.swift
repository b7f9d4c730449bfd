import Foundation
package import GRDB
import Synchronization

/// How long the connections to a database wait for a lock of another program, until the program ends.
package final class DatabaseWaits: Sendable {
  /// The pause between two looks at a lock, in seconds.
  private static let pause = 0.01

  private let tries: Int
  private let hasStopped = Atomic(false)

  /// Sets a limit.
  ///
  /// - Parameter longest: The longest wait, in seconds.
  package init(longest: Double) { tries = Int(longest / Self.pause) }

  /// Ends all waits, and lets none begin.
  package func stop() { hasStopped.store(true, ordering: .relaxed) }

  /// What SQLite does when it meets a lock.
  package var mode: Database.BusyMode {
    .callback { [self] tried in
      guard tried < tries, !hasStopped.load(ordering: .relaxed) else { return false }
      Thread.sleep(forTimeInterval: Self.pause)
      return true
    }
  }
}
