import HTTPTypes
package import HummingbirdCore

/// What every server opens its port with: the limits, the count of connections, and which requests may open a WebSocket.
package struct ServerListener: Sendable {
  /// The limits.
  package let limits: ServerLimits
  /// Counts connections.
  package let metrics: ConnectionMetrics
  /// The certificate of connections; `nil` for connections without TLS.
  package let certificate: ServerCertificate?

  /// Creates a listener.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - metrics: Counts connections.
  ///   - certificate: The certificate of connections; `nil` for connections without TLS.
  package init(
    limits: ServerLimits = ServerLimits(),
    metrics: ConnectionMetrics = ConnectionMetrics(),
    certificate: ServerCertificate? = nil
  ) {
    self.limits = limits
    self.metrics = metrics
    self.certificate = certificate
  }

  /// Creates a server that enforces the limits: of HTTP/1.1, and with a certificate of HTTP/1.1 and HTTP/2 over TLS.
  ///
  /// - Parameters:
  ///   - sockets: Decides which requests may open a WebSocket; `nil` for none.
  ///   - clock: The clock that dates responses.
  ///   - present: The prefixes of paths whose responses are dated by the machine's clock.
  ///   - admission: Admits clients; `nil` to admit all.
  ///   - proxies: The proxies whose statements about clients count.
  ///   - routes: Counts WebSockets, which no router sees; `nil` for none.
  /// - Returns: The server.
  package func server(
    sockets: (any WebSocketAuthorizer)? = nil,
    clock: ServiceClock = ServiceClock(),
    present: [String] = [],
    admission: AdmissionControl? = nil,
    proxies: TrustedProxies = TrustedProxies([]),
    routes: RouteMetrics? = nil
  ) -> HTTPServerBuilder {
    let sockets = sockets ?? NoSockets()
    let shares = admission.map { _ in
      ConnectionShares(limits: limits, proxies: proxies, metrics: metrics)
    }
    return HTTPServerBuilder { [self] responder in
      let responder: HTTPChannelHandler.Responder = { request, writer, channel in
        try await responder(AwaitedContent.request(request, on: channel), writer, channel)
      }
      let http1 = WebSocketChannel(
        responder: responder,
        authorizer: sockets,
        limits: limits,
        metrics: metrics,
        clock: clock,
        present: present,
        isSecure: certificate != nil,
        admission: admission.map { SocketAdmission(control: $0, proxies: proxies) },
        shares: shares,
        routes: routes
      )
      guard let certificate else { return http1 }
      return SecureChannel(
        certificate: certificate,
        http1: http1,
        http2: MultiplexedChannel(
          responder: responder,
          limits: limits,
          metrics: metrics,
          clock: clock,
          present: present
        ),
        limits: limits,
        metrics: metrics,
        shares: shares
      )
    }
  }

  /// Lets in no more connections than the limits say, and counts them.
  package var availability: any AvailableConnectionsDelegate {
    ConnectionLimiter(most: limits.connections, metrics: metrics)
  }
}

/// Accepts at most ``most`` connections at once.
private struct ConnectionLimiter: AvailableConnectionsDelegate {
  let most: Int
  let metrics: ConnectionMetrics

  /// Idle connections are closed while so few slots are free, so that a new client is accepted at once.
  private var spare: Int { max(1, min(64, most / 16)) }

  mutating func connectionOpened() {
    metrics.opened()
    let (metrics, most) = (metrics, most - spare)
    guard metrics.open > most else { return }
    metrics.idle.makeRoom(while: { metrics.open > most }, closed: { metrics.ended(.crowded) })
  }

  mutating func connectionClosed() { metrics.closed() }

  func isAcceptingNewConnections() -> Bool { metrics.open < most }
}

/// Rejects every WebSocket.
private struct NoSockets: WebSocketAuthorizer {
  var messageLimit: Int { 0 }

  func open(_: HTTPRequest) async -> WebSocketAcceptance? { nil }
}
