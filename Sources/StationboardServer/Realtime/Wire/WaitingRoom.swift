import Synchronization

/// Counts the requests and streams that wait for news, so that there are never too many.
package final class WaitingRoom: Sendable {
  private let count = Atomic<Int>(0)

  /// Creates an empty room.
  package init() {}

  /// How many wait.
  package var waiting: Int { count.load(ordering: .relaxed) }

  /// Lets somebody in; tells whether there is room.
  func enter() -> Bool {
    guard count.add(1, ordering: .relaxed).newValue <= BoardBudget.waiters else {
      leave()
      return false
    }
    return true
  }

  /// Lets somebody out.
  func leave() { count.subtract(1, ordering: .relaxed) }
}
