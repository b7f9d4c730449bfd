import CPostgres
import Dispatch
import Synchronization

/// Asks servers to cancel statements.
enum CancelRequest {
  private static let inFlight = Atomic(0)

  /// Sends a request for the statement of a connection.
  ///
  /// A request is a connection of its own, which libpq opens synchronously: it occupies a thread of Dispatch, and there
  /// are never many. One that is not sent costs the server a statement whose result is not needed.
  static func send(for connection: OpaquePointer) {
    guard inFlight.load(ordering: .relaxed) < PostgresClientLimits.cancelRequests,
      let request = PQgetCancel(connection)
    else { return }
    inFlight.add(1, ordering: .relaxed)
    nonisolated(unsafe) let pointer = request
    DispatchQueue.global().async {
      var reason = [CChar](repeating: 0, count: 256)
      _ = PQcancel(pointer, &reason, Int32(reason.count))
      PQfreeCancel(pointer)
      inFlight.subtract(1, ordering: .relaxed)
    }
  }
}
