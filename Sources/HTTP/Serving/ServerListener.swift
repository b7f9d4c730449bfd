import HTTPTypes
package import HummingbirdCore

/// What every server opens its port with: the limits, the count of connections, and who may open a WebSocket.
package struct ServerListener: Sendable {
  /// The limits.
  package let limits: ServerLimits
  /// Counts connections.
  package let tally: ConnectionMetrics

  /// Creates a door.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - tally: Counts connections.
  package init(
    limits: ServerLimits = ServerLimits(),
    tally: ConnectionMetrics = ConnectionMetrics()
  ) {
    self.limits = limits
    self.tally = tally
  }

  /// Creates an HTTP/1.1 server that enforces the limits.
  ///
  /// - Parameters:
  ///   - sockets: Decides which requests may open a WebSocket; `nil` for none.
  ///   - clock: The clock that dates responses.
  ///   - present: The prefixes of paths whose responses are dated by the machine's clock.
  /// - Returns: The server.
  package func http1(
    sockets: (any WebSocketAuthorizer)? = nil,
    clock: ServiceClock = ServiceClock(),
    present: [String] = []
  ) -> HTTPServerBuilder {
    let sockets = sockets ?? NoSockets()
    return HTTPServerBuilder { [self] responder in
      WebSocketChannel(
        responder: { request, writer, channel in
          try await responder(AwaitedContent.request(request, on: channel), writer, channel)
        },
        door: sockets,
        limits: limits,
        tally: tally,
        clock: clock,
        present: present
      )
    }
  }

  /// Lets in no more connections than the limits say, and counts them.
  package var gate: any AvailableConnectionsDelegate {
    ConnectionLimiter(most: limits.connections, tally: tally)
  }
}

/// Lets in so many connections at once.
private struct ConnectionLimiter: AvailableConnectionsDelegate {
  let most: Int
  let tally: ConnectionMetrics

  /// Idle connections are closed while so few slots are free, so that a new client is accepted at once.
  private var spare: Int { max(1, min(64, most / 16)) }

  mutating func connectionOpened() {
    tally.opened()
    let (tally, most) = (tally, most - spare)
    guard tally.open > most else { return }
    tally.idle.makeRoom(while: { tally.open > most }, closed: { tally.ended(.crowded) })
  }

  mutating func connectionClosed() { tally.closed() }

  func isAcceptingNewConnections() -> Bool { tally.open < most }
}

/// Rejects every WebSocket.
private struct NoSockets: WebSocketAuthorizer {
  var messageLimit: Int { 0 }

  func open(_: HTTPRequest) async -> WebSocketAcceptance? { nil }
}
