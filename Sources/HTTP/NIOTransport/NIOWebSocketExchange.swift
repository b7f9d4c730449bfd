public import ConditionalHTTP
public import HTTPTypes
import NIOCore
import NIOHTTP1
public import NIOPosix
import NIOSSL
import WebSocketNIO

/// A ``WebSocketExchange`` over SwiftNIO, for `ws` and `wss`, without extensions.
///
/// Redirects are not followed. The WebSocket reads while no event is pending and answers pings
/// itself. While a message is pending, pings are not answered.
public struct NIOWebSocketExchange: WebSocketExchange {
  /// The default maximum size of a message, in bytes.
  public static let messageBytes = 1 << 20
  /// The time limit for the peer to answer a Close and to disconnect, in seconds.
  public static let closeSeconds: Int64 = 5

  private let messageLimit: Int
  private let tls: NIOSSLContext
  private let group: MultiThreadedEventLoopGroup
  /// Where sockets to one server are redirected; `nil` for none.
  private let relay: LatencyRelay?

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - messageLimit: The maximum size of a message in both directions, 1 to 1,073,741,824 bytes;
  ///     other numbers are clamped. A longer message from the peer closes the WebSocket with 1009.
  ///   - roots: The certificate authorities to trust.
  ///   - group: The event loops.
  /// - Throws: `NIOSSLError` if a root certificate cannot be read.
  public init(
    messageLimit: Int = Self.messageBytes,
    roots: TrustedRoots = .system,
    group: MultiThreadedEventLoopGroup = .singleton
  ) throws {
    try self.init(messageLimit: messageLimit, roots: roots, group: group, relay: nil)
  }

  /// Creates a transport whose sockets to one server go through a relay.
  ///
  /// - Parameters:
  ///   - messageLimit: The longest message in both directions, 1 to 1,073,741,824 bytes.
  ///   - roots: The trusted certificate authorities.
  ///   - group: The threads that do the work.
  ///   - relay: The relay; `nil` for none.
  /// - Throws: `NIOSSLError` if a certificate of the roots cannot be read.
  package init(
    messageLimit: Int = Self.messageBytes,
    roots: TrustedRoots = .system,
    group: MultiThreadedEventLoopGroup = .singleton,
    relay: LatencyRelay?
  ) throws {
    self.relay = relay
    self.messageLimit = min(max(messageLimit, 1), 1 << 30)
    self.group = group
    tls = try NIOSSLContext(configuration: try roots.configuration())
  }

  /// Opens a WebSocket, passes it to a closure, and closes it when the closure ends.
  ///
  /// After a normal return this waits for the end of the closing handshake, at most
  /// ``closeSeconds``. Canceling the task, or a task that waits for an event, closes the WebSocket
  /// with 1001 at once, and it delivers ``WebSocketEvent/closed(_:)``.
  public func withSocket(
    _ request: HTTPRequest,
    timeout: Duration,
    work: nonisolated(nonsending) @Sendable (any WebSocket) async -> Void
  ) async throws(WebSocketError) {
    let socket = try await open(request, timeout)
    await withTaskCancellationHandler {
      await work(socket)
      if !Task.isCancelled { await socket.finish() }
    } onCancel: {
      socket.cancel()
    }
  }

  private func open(
    _ request: HTTPRequest,
    _ timeout: Duration
  ) async throws(WebSocketError) -> NIOWebSocket {
    let authority = request.authority ?? ""
    do {
      return try await withDeadline(after: timeout, authority: authority) { deadline in
        try await self.shakeHands(request, authority, deadline)
      }
    } catch let error as WebSocketError {
      throw error
    } catch {
      let failure = ConnectionFailure(error, authority: authority)
      switch failure.code {
      case .timedOut: throw WebSocketError(.timedOut, failure.text)
      case .cancelled: throw WebSocketError(.cancelled, failure.text)
      case .unreachable, .tooLarge: throw WebSocketError(.unreachable, failure.text)
      }
    }
  }

  private func shakeHands(
    _ request: HTTPRequest,
    _ authority: String,
    _ deadline: ContinuousClock.Instant
  ) async throws -> NIOWebSocket {
    let isSecure = request.scheme?.lowercased() == "wss"
    guard
      isSecure || request.scheme?.lowercased() == "ws", request.method == .get,
      let address = ServerAddress(authority, defaultPort: isSecure ? 443 : 80)
    else {
      throw ConnectionFailure(.unreachable, "\(authority) is not an address for a WebSocket")
    }
    let upgrader = WebSocketUpgrader(
      offered: request.headerFields[values: .secWebSocketProtocol]
        .flatMap { $0.split(separator: ",") }.map { $0.filter { $0 != " " && $0 != "\t" } },
      messageLimit: messageLimit,
      closeTimeout: .seconds(Self.closeSeconds)
    )
    let relayed = relay?.authority == authority ? relay : nil
    let attempt = WebSocketAttempt(
      request: request,
      address: relayed.flatMap { ServerAddress("127.0.0.1:\($0.port)", defaultPort: 80) }
        ?? address,
      tls: isSecure && relayed == nil ? tls : nil,
      upgrader: upgrader
    )
    do {
      switch try await attempt.run(on: group.next(), until: deadline) {
      case .open(let channel, let head, let handler):
        return NIOWebSocket(
          head: head,
          messageLimit: messageLimit,
          channel: channel,
          handler: handler
        )
      case .refused(let refusal):
        let status = refusal.head.status.code
        throw WebSocketError(
          .refused(status: status, body: refusal.body),
          "\(authority) answers \(status) instead of opening a WebSocket"
        )
      }
    } catch let error as NIOHTTPClientUpgradeError {
      let fault = upgrader.fault ?? "it does not upgrade to WebSocket: \(error)"
      throw WebSocketError(
        .refused(status: 101, body: []),
        "\(authority) answers the opening handshake wrongly: \(fault)"
      )
    }
  }
}
