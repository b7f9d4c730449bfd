import AsyncHTTPClient
public import ConditionalHTTP
public import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
public import NIOPosix

/// An ``HTTPExchange`` and ``HTTPStreaming`` over SwiftNIO, without cache and cookies.
///
/// Uses HTTP/1.1 with a pool of connections that stay open for ``idleSeconds``. A GET or HEAD whose
/// connection ends before any byte of a response is sent once more, because a server may close an
/// idle connection at any time (RFC 9110 section 9.2.2). If that fails too, or for another method,
/// the server counts as unreachable. Field values keep their bytes, even if they are not UTF-8.
/// Complete responses are requested with gzip, streams are not. What a server requests because of a request, or of its own, has the
/// `traceparent` of that work.
public final class NIOExchange: HTTPExchange, HTTPSending, HTTPStreaming {
  /// How long a connection stays open without a request, in seconds.
  public static let idleSeconds: Int64 = 60
  /// The time limit for connecting, in seconds; the timeout of the request applies too.
  public static let connectSeconds: Int64 = 10

  private let answers: HTTPClient
  private let streams: HTTPClient
  /// Where requests for one server are redirected; `nil` for none.
  private let relay: LatencyRelay?

  /// Creates a transport with its own connections.
  ///
  /// - Parameters:
  ///   - roots: Which certificate authorities to believe.
  ///   - group: The threads that do the work; they are shared and outlive the transport.
  /// - Throws: `NIOSSLError` if a certificate of the roots cannot be read.
  public convenience init(
    roots: TrustedRoots = .system,
    group: MultiThreadedEventLoopGroup = .singleton
  ) throws {
    try self.init(roots: roots, group: group, relay: nil)
  }

  /// Creates a transport whose requests for one server go through a relay.
  ///
  /// - Parameters:
  ///   - roots: The trusted certificate authorities.
  ///   - group: The threads that do the work.
  ///   - relay: The relay; `nil` for none.
  /// - Throws: `NIOSSLError` if a certificate of the roots cannot be read.
  package init(
    roots: TrustedRoots = .system,
    group: MultiThreadedEventLoopGroup = .singleton,
    relay: LatencyRelay?
  ) throws {
    self.relay = relay
    var configuration = HTTPClient.Configuration()
    configuration.tlsConfiguration = try roots.configuration()
    configuration.httpVersion = .http1Only
    configuration.redirectConfiguration = .disallow
    configuration.timeout.connect = .seconds(Self.connectSeconds)
    configuration.connectionPool.idleTimeout = .seconds(Self.idleSeconds)
    // Streams and other requests have separate pools of this size.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
      HTTPTransferLimits.connections
    // A refused connection is reported immediately; retrying is up to the caller.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.http1_1ConnectionDebugInitializer = Self.prepare
    streams = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    configuration.decompression = .enabled(limit: .size(HTTPTransferLimits.answerBytes))
    answers = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
  }

  deinit {
    for client in [answers, streams] { client.shutdown { _ in } }
  }

  /// Ends every exchange in progress with `cancelled`, closes all connections, and waits for both.
  ///
  /// Later requests fail as `unreachable`; a second call does nothing. A transport that is released
  /// without this call shuts itself down in the background.
  public func shutdown() async {
    for client in [answers, streams] { try? await client.shutdown() }
  }

  /// Sends a request and returns the complete response, of at most
  /// ``HTTPTransferLimits/answerBytes``.
  public func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let authority = request.authority ?? ""
    do {
      return try await withDeadline(after: timeout, authority: authority) { deadline in
        try await self.collect(request, nil, deadline)
      }
    } catch {
      throw ConnectionFailure(error, authority: authority).exchangeError
    }
  }

  /// Sends a request with content and returns the complete response; redirects are not followed.
  public func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let authority = request.authority ?? ""
    do {
      return try await withDeadline(after: timeout, authority: authority) { deadline in
        try await self.collect(request, .bytes(content), deadline)
      }
    } catch {
      throw ConnectionFailure(error, authority: authority).exchangeError
    }
  }

  /// Sends a request with content, telling how much of it the connection has taken, and returns the complete response;
  /// redirects are not followed.
  public func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration,
    sent: @escaping @Sendable (Int) -> Void
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let authority = request.authority ?? ""
    let parts = SentParts(content: content, sent: sent)
    do {
      return try await withDeadline(after: timeout, authority: authority) { deadline in
        let body = HTTPClientRequest.Body.stream(parts, length: .known(Int64(content.count)))
        return try await self.collect(request, body, deadline)
      }
    } catch {
      throw ConnectionFailure(error, authority: authority).exchangeError
    }
  }

  /// Sends a request and passes on its response part by part.
  public func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    do {
      let deadline = ContinuousClock.now + timeout
      let answer = try await follow(request.streamed, over: streams, deadline)
      guard await receive(.head(HTTPResponse(answer.status, answer.headers))) == .more else {
        return
      }
      for try await part in answer.body where part.readableBytes > 0 {
        guard await receive(.content(Array(part.readableBytesView))) == .more else { return }
      }
      try Task.checkCancellation()
    } catch {
      throw ConnectionFailure(error, authority: request.authority ?? "").exchangeError
    }
  }

  private func collect(
    _ request: HTTPRequest,
    _ content: HTTPClientRequest.Body?,
    _ deadline: ContinuousClock.Instant
  ) async throws -> HTTPExchangeAnswer {
    var request = request
    if request.headerFields[.acceptEncoding] == nil {
      request.headerFields[.acceptEncoding] = "gzip"
    }
    let answer =
      if let content {
        try await attempt(request, content, over: answers, deadline)
      } else {
        try await follow(request, over: answers, deadline)
      }
    let head = HTTPResponse(answer.status, answer.headers)
    let announced = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
    let hasContent = request.method != .head && head.status.code != 304
    var body: [UInt8] = []
    if hasContent, announced > HTTPTransferLimits.answerBytes {
      throw ConnectionFailure(.tooLarge, ConnectionFailure.tooLarge)
    }
    if hasContent { body.reserveCapacity(announced) }
    for try await part in answer.body {
      guard body.count + part.readableBytes <= HTTPTransferLimits.answerBytes else {
        throw ConnectionFailure(.tooLarge, ConnectionFailure.tooLarge)
      }
      body.append(contentsOf: part.readableBytesView)
    }
    try Task.checkCancellation()
    return HTTPExchangeAnswer(head: head, body: body)
  }

  /// Sends a request and follows redirects.
  private func follow(
    _ request: HTTPRequest,
    over client: HTTPClient,
    _ deadline: ContinuousClock.Instant
  ) async throws -> HTTPClientResponse {
    var request = request
    var redirections = 0
    while true {
      let answer = try await attempt(request, nil, over: client, deadline)
      let head = HTTPResponse(answer.status, answer.headers)
      guard redirections < HTTPTransferLimits.redirections, let next = request.following(head)
      else { return answer }
      redirections += 1
      request = next
    }
  }

  /// Sends a request, and once more over another connection if the first one ends.
  private func attempt(
    _ request: HTTPRequest,
    _ content: HTTPClientRequest.Body?,
    over client: HTTPClient,
    _ deadline: ContinuousClock.Instant
  ) async throws -> HTTPClientResponse {
    let authority = request.authority ?? ""
    guard let scheme = request.scheme, !authority.isEmpty else {
      throw ConnectionFailure(.unreachable, "the request has no address")
    }
    // The underlying library traps on a port beyond 65,535, which a redirect may contain.
    guard ServerAddress(authority, defaultPort: scheme == "https" ? 443 : 80) != nil else {
      throw ConnectionFailure(.unreachable, "\(authority) is not an address")
    }
    let relayed = relay?.authority == authority ? relay : nil
    let place = relayed.map { "http://127.0.0.1:\($0.port)" } ?? "\(scheme)://\(authority)"
    var message = HTTPClientRequest(url: place + (request.path ?? "/"))
    message.method = HTTPMethod(rawValue: request.method.rawValue)
    var fields = request.headerFields
    TraceScope.current?.trace.write(to: &fields)
    message.headers = HTTPHeaders(fields)
    if relayed != nil { message.headers.replaceOrAdd(name: "Host", value: authority) }
    message.body = content
    var mayRepeat = request.method == .get || request.method == .head
    while true {
      do {
        let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
        return try await client.execute(message, timeout: TimeAmount(rest))
      } catch {
        let failure = ConnectionFailure(error, authority: authority)
        guard mayRepeat, failure.isLostConnection, !Task.isCancelled else { throw failure }
        mayRepeat = false
      }
    }
  }

  /// Adds the handlers of this transport to a new connection.
  @Sendable private static func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
      let fieldBytes = FieldBytesHandler()
      try pipeline.addHandler(fieldBytes, position: .before(encoder))
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
      let bodiless = BodilessAnswerHandler(fieldBytes: fieldBytes)
      try pipeline.addHandler(bodiless, position: .after(decoder))
    }
  }
}
