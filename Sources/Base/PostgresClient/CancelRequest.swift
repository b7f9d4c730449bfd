import CPostgres
import Foundation
import Synchronization

/// Asks servers to cancel statements.
enum CancelRequest {
  private static let inFlight = Atomic(0)

  /// Sends a request for the statement of a connection.
  ///
  /// A request is a connection of its own, for which libpq waits. It gets a thread of its own: a server that does not answer would
  /// otherwise occupy those of Dispatch, on which Swift's tasks run. Beyond a limit none is sent, which costs the server
  /// a statement whose result is not needed: that holds for all servers while one keeps the threads waiting.
  static func send(for connection: OpaquePointer) {
    let before = inFlight.wrappingAdd(1, ordering: .relaxed).oldValue
    guard before < PostgresClientLimits.cancelRequests, let request = PQgetCancel(connection) else {
      inFlight.wrappingSubtract(1, ordering: .relaxed)
      return
    }
    nonisolated(unsafe) let pointer = request
    Thread.detachNewThread {
      var reason = [CChar](repeating: 0, count: 256)
      _ = PQcancel(pointer, &reason, Int32(reason.count))
      PQfreeCancel(pointer)
      inFlight.wrappingSubtract(1, ordering: .relaxed)
    }
  }
}
