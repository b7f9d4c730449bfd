package import Hummingbird
package import NIOCore

/// The context of a request, with its client.
package struct ClientContext: RequestContext, RemoteAddressRequestContext {
  package var coreContext: CoreRequestContextStorage
  private let channel: any Channel
  /// The network of the client, which a trusted proxy may have named; `nil` on a Unix socket.
  package internal(set) var network: ClientNetwork?
  /// Whether the client used HTTPS; known behind ``TrustedProxyMiddleware``.
  package internal(set) var isSecure = false

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    network = channel.remoteAddress.flatMap { ClientNetwork($0) }
  }

  package var remoteAddress: SocketAddress? { channel.remoteAddress }

  /// Whether the peer of the connection, which may be a proxy, is on this machine.
  package var isPeerLocal: Bool {
    guard let address = channel.remoteAddress.flatMap({ IPAddress($0) }) else { return true }
    return address.bytes.count == 4
      ? address.bytes[0] == 127 : address.bytes == Array(repeating: 0, count: 15) + [1]
  }

  /// Cancels work once the client closes its connection, or its half of it.
  fileprivate func untilDeparture<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await work() }
    channel.eventLoop.execute {
      let timeouts = try? channel.pipeline.syncOperations.handler(type: ConnectionTimeouts.self)
      timeouts?.onDeparture { task.cancel() }
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

extension RequestContext {
  /// Runs work while the client of a request is connected: without a client, the result has no receiver.
  ///
  /// - Parameter work: The work; its task is canceled when the client disconnects.
  /// - Returns: The result of the work.
  /// - Throws: What the work throws; `CancellationError` once the client disconnects.
  package func whileConnected<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let client = self as? ClientContext else { return try await work() }
    return try await client.untilDeparture(work)
  }
}
