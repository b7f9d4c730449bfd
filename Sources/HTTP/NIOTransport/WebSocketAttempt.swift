import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import WebSocketNIO

/// One attempt to open a WebSocket: connects, sends the opening handshake, reads the response.
final class WebSocketAttempt: Sendable {
  /// The outcome of an attempt.
  enum Outcome: Sendable {
    case open(any Channel, HTTPResponse, NIOLoopBound<WebSocketHandler>)
    case refused(WebSocketRefusal)
  }

  private enum Progress {
    case connecting
    case connected(any Channel)
    case over
  }

  private let request: HTTPRequest
  private let address: ServerAddress
  private let tls: NIOSSLContext?
  private let upgrader: WebSocketUpgrader
  private let progress = Mutex(Progress.connecting)

  /// Creates an attempt.
  init(
    request: HTTPRequest,
    address: ServerAddress,
    tls: NIOSSLContext?,
    upgrader: WebSocketUpgrader
  ) {
    self.request = request
    self.address = address
    self.tls = tls
    self.upgrader = upgrader
  }

  /// Runs the attempt once; cancellation ends it immediately and closes its connection.
  func run(
    on eventLoop: any EventLoop,
    until deadline: ContinuousClock.Instant
  ) async throws -> Outcome {
    let promise = eventLoop.makePromise(of: Outcome.self)
    let rest = max(.milliseconds(1), ContinuousClock.now.duration(to: deadline))
    ClientBootstrap(group: eventLoop)
      .connectTimeout(TimeAmount(rest))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connect(host: address.host, port: address.port)
      .flatMap { self.upgrade($0) }
      .flatMapError { error in eventLoop.makeFailedFuture(error) }
      .whenComplete { result in
        if case .failure = result { self.stop() }
        promise.completeWith(result)
      }
    return try await withTaskCancellationHandler {
      let outcome = try await promise.futureResult.get()
      try Task.checkCancellation()
      return outcome
    } onCancel: {
      // In this order: the error of closing is not what ended the attempt.
      promise.fail(CancellationError())
      stop()
    }
  }

  /// Closes the connection, including one that is still being established.
  private func stop() {
    let channel = progress.withLock { progress -> (any Channel)? in
      defer { progress = .over }
      guard case .connected(let channel) = progress else { return nil }
      return channel
    }
    channel?.close(promise: nil)
  }

  private func upgrade(_ channel: any Channel) -> EventLoopFuture<Outcome> {
    let isWanted = progress.withLock { progress in
      guard case .connecting = progress else { return false }
      progress = .connected(channel)
      return true
    }
    guard isWanted else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(CancellationError())
    }
    do {
      return try configure(channel).flatMap { opening in
        switch opening {
        case .open(let head, let handler):
          channel.eventLoop.makeSucceededFuture(.open(channel, head, handler))
        case .refused(let refusal):
          refusal.map { .refused($0) }
        }
      }
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }

  private func configure(_ channel: any Channel) throws -> EventLoopFuture<WebSocketOpening> {
    let pipeline = channel.pipeline.syncOperations
    if let tls {
      let name = address.isIPAddress ? nil : address.host
      try pipeline.addHandler(try NIOSSLClientHandler(context: tls, serverHostname: name))
    }
    let bytes = FieldBytesHandler()
    let encoder = HTTPRequestEncoder()
    let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
    let upgrade = NIOTypedHTTPClientUpgradeHandler(
      httpHandlers: [encoder, decoder, bytes],
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
        upgradeRequestHead: requestHead,
        upgraders: [upgrader],
        notUpgradingCompletionHandler: { channel in
          channel.eventLoop.makeCompletedFuture {
            let promise = channel.eventLoop.makePromise(of: WebSocketRefusal.self)
            try channel.pipeline.syncOperations.addHandler(WebSocketRefusalReader(promise))
            return .refused(promise.futureResult)
          }
        }
      )
    )
    try pipeline.addHandlers([bytes, encoder, decoder, upgrade] as [any ChannelHandler])
    return upgrade.upgradeResultFuture
  }

  /// The opening handshake; the upgrade handler adds the key, the version and the upgrade field.
  private var requestHead: HTTPRequestHead {
    var fields = request.headerFields
    let ours: [HTTPField.Name] = [
      .connection, .upgrade, .secWebSocketKey, .secWebSocketVersion, .secWebSocketExtensions,
    ]
    fields.removeAll { ours.contains($0.name) || $0.name.canonicalName == "host" }
    var headers = HTTPHeaders([("Host", request.authority ?? "")])
    headers.add(contentsOf: HTTPHeaders(fields))
    return HTTPRequestHead(
      version: .http1_1,
      method: .GET,
      uri: request.path ?? "/",
      headers: headers
    )
  }
}
