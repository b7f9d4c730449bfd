public import ConditionalHTTP
import Foundation
public import HTTPTypes

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An ``HTTPExchange`` and ``HTTPStreaming`` over URLSession, without its cache, cookies and
/// credentials.
///
/// Limitations on platforms other than Apple's (FoundationNetworking over libcurl):
/// - An IPv6 address in brackets is rejected with an error that says so: the platform compares the
///   host with and without brackets and finds them different. A name that resolves to such an
///   address works.
/// - A response with a field value that is not UTF-8 breaks off.
/// - A truncated head, and trailers after chunks, end the process ("Transfer completed, but there's
///   no response"). This cannot be prevented here: use another transport for untrusted servers.
/// - A stream cannot make its sender wait, because suspending a task starts the request from the
///   beginning. A receiver that leaves ``HTTPTransferLimits/waitingBytes`` unread fails with
///   `tooLarge`.
///
/// On every platform field values of a request are sent as UTF-8 text.
public final class URLSessionExchange: HTTPExchange, HTTPSending, HTTPStreaming {
  /// The maximum size of a response, in bytes.
  public static let largestAnswer = HTTPTransferLimits.answerBytes

  private let transfers = URLSessionTransfers()
  private let session: URLSession

  /// Creates a transport with its own session.
  public init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    // Without a cache this asks the server and adds no Cache-Control to the request.
    configuration.requestCachePolicy = .useProtocolCachePolicy
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = HTTPTransferLimits.connections
    configuration.timeoutIntervalForResource = Self.idleSeconds
    session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// Sends a request and returns the complete response, of at most ``largestAnswer``.
  public func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    try await answer(request, nil, timeout)
  }

  /// Sends a request with content and returns the complete response, of at most ``largestAnswer``.
  public func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    try await answer(request, content, timeout)
  }

  private func answer(
    _ request: HTTPRequest,
    _ content: [UInt8]?,
    _ timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let authority = request.authority ?? ""
    do {
      return try await URLSessionFailure.timeLimit(timeout, authority) {
        try await self.collect(request, content)
      }
    } catch {
      throw URLSessionFailure.exchangeError(error, authority)
    }
  }

  /// Sends a request and passes on its response part by part.
  public func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    let authority = request.authority ?? ""
    do {
      let (head, transfer) = try await URLSessionFailure.timeLimit(timeout, authority) {
        try await self.follow(request.streamed, waitingLimit: HTTPTransferLimits.waitingBytes)
      }
      defer { transfer.cancel() }
      guard await receive(.head(head)) == .more else { return }
      while let part = try await transfer.next() {
        guard case .content = part else { continue }
        guard await receive(part) == .more else { return }
      }
    } catch {
      throw URLSessionFailure.exchangeError(error, authority)
    }
  }

  private func collect(
    _ request: HTTPRequest,
    _ content: [UInt8]?
  ) async throws -> HTTPExchangeAnswer {
    let (head, transfer) = try await follow(
      request,
      content: content,
      waitingLimit: Self.largestAnswer
    )
    defer { transfer.cancel() }
    var body: [UInt8] = []
    while let part = try await transfer.next() {
      guard case .content(let bytes) = part else { continue }
      guard body.count + bytes.count <= Self.largestAnswer else {
        throw HTTPExchangeError(
          .tooLarge,
          "the answer is larger than \(Self.largestAnswer) bytes"
        )
      }
      body.append(contentsOf: bytes)
    }
    return HTTPExchangeAnswer(head: head, body: body)
  }

  /// Sends a request and follows redirects until the head of the last response arrived.
  private func follow(
    _ request: HTTPRequest,
    content: [UInt8]? = nil,
    waitingLimit: Int
  ) async throws -> (HTTPResponse, URLSessionTransfer) {
    var request = request
    var redirections = 0
    while true {
      var message = try Self.message(request)
      if let content { message.httpBody = Data(content) }
      let task = session.dataTask(with: message)
      let transfer = URLSessionTransfer(task: task, waitingLimit: waitingLimit)
      transfers.add(transfer)
      task.resume()
      do {
        guard case .head(let head) = try await transfer.next() else {
          throw HTTPExchangeError(
            .unreachable,
            "\(request.authority ?? "") closed the connection without an answer"
          )
        }
        guard content == nil, redirections < HTTPTransferLimits.redirections,
          let next = request.following(head)
        else { return (head, transfer) }
        request = next
      } catch {
        transfer.cancel()
        throw error
      }
      redirections += 1
      transfer.cancel()
    }
  }

  /// How long the platform lets a task be silent, in seconds; requests measure their timeouts
  /// themselves.
  private static let idleSeconds: TimeInterval = 30 * 86_400

  static func message(_ request: HTTPRequest) throws -> URLRequest {
    guard
      let scheme = request.scheme, let authority = request.authority, !authority.contains("@"),
      let url = URL(string: "\(scheme)://\(authority)\(request.path ?? "/")"), url.host != nil
    else {
      throw HTTPExchangeError(
        .unreachable,
        "the request has no address, or one that cannot be used: \(request.authority ?? "")"
      )
    }
    #if canImport(FoundationNetworking)
    if authority.hasPrefix("[") {
      throw HTTPExchangeError(
        .unreachable,
        "URLSession cannot open an IPv6 address on this platform: \(authority); use a host name"
      )
    }
    #endif
    var message = URLRequest(url: url)
    message.httpMethod = request.method.rawValue
    message.timeoutInterval = idleSeconds
    for field in request.headerFields {
      message.addValue(field.value, forHTTPHeaderField: field.name.rawName)
    }
    return message
  }
}
