import CPostgres
import Foundation
import Synchronization

/// Asks servers to cancel statements.
enum CancelRequest {
  private static let inFlight = Atomic(0)

  /// Sends a request for the statement of a connection.
  ///
  /// A request is a connection of its own, for which libpq waits. It gets a thread of its own: a server that does not answer would
  /// otherwise occupy those of Dispatch, on which Swift's tasks run. One that is not sent costs the server a statement whose result
  /// is not needed.
  static func send(for connection: OpaquePointer) {
    guard inFlight.load(ordering: .relaxed) < PostgresClientLimits.cancelRequests,
      let request = PQgetCancel(connection)
    else { return }
    inFlight.add(1, ordering: .relaxed)
    nonisolated(unsafe) let pointer = request
    Thread.detachNewThread {
      var reason = [CChar](repeating: 0, count: 256)
      _ = PQcancel(pointer, &reason, Int32(reason.count))
      PQfreeCancel(pointer)
      inFlight.subtract(1, ordering: .relaxed)
    }
  }
}
