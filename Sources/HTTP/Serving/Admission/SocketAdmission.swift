import HTTPTypes
import NIOCore

/// Admits requests to open a WebSocket, which no router sees, by their clients.
struct SocketAdmission: Sendable {
  let control: AdmissionControl
  let proxies: TrustedProxies

  /// Lets an authorizer decide in the turn of the client.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - peer: The peer of the connection.
  ///   - isSecure: Whether the connection speaks TLS.
  ///   - authorizer: The authorizer; its permits are those of the client.
  /// - Returns: How to accept the connection; `nil` to reject it, also if the client asks for more than its share: then the
  ///   same request is refused where all others are.
  func open(
    _ request: HTTPRequest,
    from peer: SocketAddress?,
    isSecure: Bool,
    _ authorizer: any WebSocketAuthorizer
  ) async -> WebSocketAcceptance? {
    let address = proxies.client(
      of: peer.flatMap { IPAddress($0) },
      request.headerFields,
      isSecure: isSecure
    ).address
    let network = address.map { ClientNetwork(address: $0.bytes) }
    let queue = control.queue(.processor)
    let route = Self.route
    let permit = AdmissionPermit(
      queue,
      network,
      percent: control.limits.networkPercent,
      route: route
    )
    switch queue.arrive(network, route: route, isRefusable: true) {
    case .runs(let request, _): permit.began(request)
    case .waits(let number):
      guard let request = try? await queue.wait(number) else { return nil }
      permit.began(request)
    case .refused: return nil
    }
    defer { permit.end() }
    return await AdmissionPermit.$current.withValue(permit) { await authorizer.open(request) }
  }

  private static let route = "websocket"
}
