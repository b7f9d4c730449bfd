import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization
import WebSocketNIO

/// The result of an opening handshake.
enum WebSocketOpening: Sendable {
  /// The WebSocket is open.
  case open(HTTPResponse, NIOLoopBound<WebSocketHandler>)
  /// The server did not upgrade; its response follows.
  case refused(EventLoopFuture<WebSocketRefusal>)
}

/// Checks the server's side of the opening handshake (RFC 6455 section 4.1) and sets the channel up.
final class WebSocketUpgrader: NIOTypedHTTPClientProtocolUpgrader {
  let supportedProtocol = "websocket"
  let requiredUpgradeHeaders: [String] = []

  private let handshake: NIOTypedWebSocketClientUpgrader<WebSocketOpening>
  private let offered: [String]
  private let faultFound = Mutex<String?>(nil)

  /// The reason why the server's 101 response was not accepted.
  var fault: String? { faultFound.withLock { $0 } }

  /// Creates an upgrader.
  ///
  /// - Parameters:
  ///   - offered: The subprotocols of the request.
  ///   - messageLimit: The maximum size of a received message, in bytes.
  ///   - closeTimeout: The time limit for the peer to disconnect.
  init(offered: [String], messageLimit: Int, closeTimeout: TimeAmount) {
    self.offered = offered
    handshake = NIOTypedWebSocketClientUpgrader(
      maxFrameSize: max(messageLimit, WebSocketSession.controlBytes),
      enableAutomaticErrorHandling: false
    ) { channel, head in
      channel.eventLoop.makeCompletedFuture {
        let handler = WebSocketHandler(messageLimit: messageLimit, closeTimeout: closeTimeout)
        try channel.syncOptions?.setOption(.autoRead, value: false)
        try handler.join(channel.pipeline.syncOperations)
        let answer = HTTPResponse(head.status, head.headers)
        return .open(answer, NIOLoopBound(handler, eventLoop: channel.eventLoop))
      }
    }
  }

  func addCustom(upgradeRequestHeaders: inout HTTPHeaders) {
    handshake.addCustom(upgradeRequestHeaders: &upgradeRequestHeaders)
  }

  func shouldAllowUpgrade(upgradeResponse: HTTPResponseHead) -> Bool {
    let fault = fault(in: upgradeResponse)
    faultFound.withLock { $0 = fault }
    return fault == nil
  }

  func upgrade(
    channel: any Channel,
    upgradeResponse: HTTPResponseHead
  ) -> EventLoopFuture<WebSocketOpening> {
    handshake.upgrade(channel: channel, upgradeResponse: upgradeResponse)
  }

  private func fault(in head: HTTPResponseHead) -> String? {
    let connection = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    guard connection.contains("upgrade") else { return "Connection does not say Upgrade" }
    guard handshake.shouldAllowUpgrade(upgradeResponse: head) else {
      return "Sec-WebSocket-Accept is missing or wrong"
    }
    if head.headers.contains(name: "Sec-WebSocket-Extensions") {
      return "it uses an extension that was not offered"
    }
    let chosen = head.headers["Sec-WebSocket-Protocol"]
    if let name = chosen.first(where: { !offered.contains($0) }) {
      return "it chose the subprotocol \(name), which was not offered"
    }
    return chosen.count > 1 ? "it chose more than one subprotocol" : nil
  }
}
