import NIOCore
import Synchronization

/// Counts the connections of a server, for `/metrics`.
package final class ConnectionMetrics: Sendable {
  /// Why a server ended a connection that its client kept.
  enum Reason: String, CaseIterable, Sendable {
    /// No request came on it.
    case noRequest = "no_request"
    /// The TLS handshake took too long.
    case slowHandshake = "slow_handshake"
    /// The content of a request came too slowly.
    case slowBody = "slow_body"
    /// More content came after the answer than is thrown away.
    case unreadBody = "unread_body"
    /// The client took nothing of its answer.
    case stalled
    /// The client did not disconnect after the last answer.
    case kept
    /// It was idle, and its place was needed.
    case crowded
    /// Its network has its share of connections.
    case share
    /// The process has few descriptors left, which connections do not take.
    case descriptors
  }

  private struct Counts {
    var open = 0
    var all = 0
    var ended: [Reason: Int] = [:]
  }

  private let counts = Mutex(Counts())
  /// The connections that can be closed to make room.
  let idle = IdleConnections()

  /// Starts at nothing.
  package init() {}

  /// How many connections are open.
  var open: Int { counts.withLock { $0.open } }

  func opened() {
    counts.withLock { counts in
      counts.open += 1
      counts.all += 1
    }
  }

  func closed() { counts.withLock { $0.open -= 1 } }

  func ended(_ reason: Reason) { counts.withLock { $0.ended[reason, default: 0] += 1 } }

  /// Closes a connection that was accepted if descriptors are scarce, and idle connections with it.
  ///
  /// - Parameter channel: The connection, which is not one of the idle ones yet.
  /// - Returns: Whether the connection stays.
  func hasDescriptor(for channel: any Channel) -> Bool {
    guard DescriptorBudget.areScarce else { return true }
    ended(.descriptors)
    // After the handlers are in place, which expect an open connection.
    channel.eventLoop.execute { channel.close(promise: nil) }
    idle.makeRoom(while: { DescriptorBudget.areScarce }, closed: { self.ended(.crowded) })
    return false
  }

  /// How many connections were ended for a reason.
  func count(_ reason: Reason) -> Int { counts.withLock { $0.ended[reason] ?? 0 } }

  /// Writes the counts.
  package func write(to metrics: inout MetricsText) {
    let counts = counts.withLock { $0 }
    metrics.add("freshet_connections", .gauge, "Open connections", Double(counts.open))
    metrics.add(
      "freshet_connections_total",
      .counter,
      "Connections that were accepted",
      Double(counts.all)
    )
    metrics.add(
      "freshet_connections_ended_total",
      .counter,
      "Connections that the server ended before their client did, by reason",
      Reason.allCases.map {
        (labels: [("reason", $0.rawValue)], value: Double(counts.ended[$0] ?? 0))
      }
    )
  }
}
