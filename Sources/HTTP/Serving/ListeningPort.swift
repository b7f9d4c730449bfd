import Synchronization

/// The port a server listens on, known once it does.
package final class ListeningPort: Sendable {
  private let value: Mutex<Int>

  /// Starts with the port that was asked for; 0 for any.
  package init(_ asked: Int) { value = Mutex(asked) }

  /// The port.
  package var number: Int {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
