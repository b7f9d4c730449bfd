import Foundation
package import GRDB
import Synchronization

/// A limit on how long database connections wait for a lock of another program.
package final class DatabaseWaits: Sendable {
  /// The pause between two attempts to get a lock, in seconds.
  private static let pause = 0.01

  private let tries: Int
  private let hasStopped = Atomic(false)

  /// Creates a limit.
  ///
  /// - Parameter longest: The longest wait, in seconds.
  package init(longest: Double) { tries = Int(longest / Self.pause) }

  /// Ends all waits, and prevents new ones.
  package func stop() { hasStopped.store(true, ordering: .relaxed) }

  /// How SQLite handles a lock.
  package var mode: Database.BusyMode {
    .callback { [self] tried in
      guard tried < tries, !hasStopped.load(ordering: .relaxed) else { return false }
      Thread.sleep(forTimeInterval: Self.pause)
      return true
    }
  }
}
