#if !canImport(FoundationNetworking)
public import ConditionalHTTP
import Foundation
public import HTTPTypes
import Synchronization

/// A ``WebSocketExchange`` over URLSession, on Apple platforms only: FoundationNetworking's libcurl
/// does not support WebSockets.
///
/// The platform reports neither what it refused nor more than the status of a refusal by the
/// server.
public final class URLSessionWebSocketExchange: WebSocketExchange {
  /// The default maximum size of a message, in bytes.
  public static let messageBytes = 1 << 20

  private let messageLimit: Int
  private let openings = URLSessionWebSocketOpenings()
  private let session: URLSession

  /// Creates a transport with its own session.
  ///
  /// - Parameter messageLimit: The maximum size of a message in both directions, in bytes.
  public init(messageLimit: Int = URLSessionWebSocketExchange.messageBytes) {
    self.messageLimit = messageLimit
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    session = URLSession(configuration: configuration, delegate: openings, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// Opens a WebSocket, passes it to a closure, and closes it when the closure ends.
  public func withSocket(
    _ request: HTTPRequest,
    timeout: Duration,
    work: nonisolated(nonsending) @Sendable (any WebSocket) async -> Void
  ) async throws(WebSocketError) {
    let authority = request.authority ?? ""
    let task: URLSessionWebSocketTask
    do {
      task = session.webSocketTask(with: try URLSessionExchange.message(request))
    } catch {
      throw WebSocketError(.unreachable, "\(authority) is not an address for a WebSocket")
    }
    task.maximumMessageSize = messageLimit
    do {
      try await URLSessionFailure.timeLimit(timeout, authority) {
        try await self.openings.open(task)
      }
    } catch {
      task.cancel()
      throw Self.failure(error, task, authority)
    }
    let socket = URLSessionWebSocket(task: task, messageLimit: messageLimit)
    await withTaskCancellationHandler {
      await work(socket)
      task.cancel(with: Task.isCancelled ? .goingAway : .normalClosure, reason: nil)
    } onCancel: {
      task.cancel(with: .goingAway, reason: nil)
    }
  }

  private static func failure(
    _ error: any Error,
    _ task: URLSessionWebSocketTask,
    _ authority: String
  ) -> WebSocketError {
    if let status = (task.response as? HTTPURLResponse)?.statusCode {
      return WebSocketError(
        .refused(status: status, body: []),
        "\(authority) answers \(status) instead of opening a WebSocket"
      )
    }
    let failure = URLSessionFailure.exchangeError(error, authority)
    switch failure.code {
    case .timedOut: return WebSocketError(.timedOut, failure.description)
    case .cancelled: return WebSocketError(.cancelled, failure.description)
    case .unreachable, .tooLarge: return WebSocketError(.unreachable, failure.description)
    }
  }
}

/// Waits for the opening handshakes of a session.
private final class URLSessionWebSocketOpenings: NSObject, URLSessionWebSocketDelegate, Sendable {
  private let waiting = Mutex<[Int: CheckedContinuation<Void, any Error>]>([:])

  func open(_ task: URLSessionWebSocketTask) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0[task.taskIdentifier] = continuation }
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  func urlSession(
    _ session: URLSession,
    webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol name: String?
  ) {
    waiting.withLock { $0.removeValue(forKey: webSocketTask.taskIdentifier) }?.resume()
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    let continuation = waiting.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    continuation?.resume(throwing: error ?? URLError(.networkConnectionLost))
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}

/// A ``WebSocket`` on a task of a session; it receives only on demand.
private final class URLSessionWebSocket: WebSocket {
  private struct State {
    var arrivals: [WebSocketEvent] = []
    var waiting: [CheckedContinuation<WebSocketEvent, Never>] = []
    var isReceiving = false
    var end: WebSocketClose?
  }

  let head: HTTPResponse
  private let task: URLSessionWebSocketTask
  private let messageLimit: Int
  private let state = Mutex(State())

  init(task: URLSessionWebSocketTask, messageLimit: Int) {
    self.task = task
    self.messageLimit = messageLimit
    let answer = task.response as? HTTPURLResponse
    head = answer.map { URLSessionTransfers.head(of: $0) } ?? HTTPResponse(status: .init(code: 101))
  }

  func next() async -> WebSocketEvent {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> WebSocketEvent? in
          if !state.arrivals.isEmpty { return state.arrivals.removeFirst() }
          if let end = state.end { return .closed(end) }
          state.waiting.append(continuation)
          return nil
        }
        if let ready { continuation.resume(returning: ready) } else { receive() }
      }
    } onCancel: {
      task.cancel(with: .goingAway, reason: nil)
    }
  }

  func send(_ message: WebSocketMessage) async throws(WebSocketError) {
    let size =
      switch message {
      case .text(let text): text.utf8.count
      case .binary(let bytes): bytes.count
      }
    guard size <= messageLimit else {
      throw WebSocketError(.notSent, "\(size) bytes are over the limit of \(messageLimit)")
    }
    do {
      switch message {
      case .text(let text): try await task.send(.string(text))
      case .binary(let bytes): try await task.send(.data(Data(bytes)))
      }
    } catch {
      throw WebSocketError(.notSent, "the socket is closed: \(error.localizedDescription)")
    }
  }

  func ping(_ payload: [UInt8]) async throws(WebSocketError) {
    // The platform sends pings without a payload; the caller's is returned with the pong.
    task.sendPing { [weak self] error in if error == nil { self?.deliver(.pong(payload)) } }
  }

  func close(_ close: WebSocketClose) async {
    let code = URLSessionWebSocketTask.CloseCode(rawValue: Int(close.code)) ?? .normalClosure
    task.cancel(with: code, reason: Data(close.reason.utf8.prefix(123)))
  }

  private func receive() {
    let isFirst = state.withLock { state in
      defer { state.isReceiving = true }
      return !state.isReceiving
    }
    guard isFirst else { return }
    task.receive { [weak self] result in
      guard let self else { return }
      state.withLock { $0.isReceiving = false }
      switch result {
      case .success(.string(let text)): deliver(.message(.text(text)))
      case .success(.data(let data)): deliver(.message(.binary(Array(data))))
      default: deliver(.closed(close))
      }
      if state.withLock({ !$0.waiting.isEmpty }) { receive() }
    }
  }

  private func deliver(_ arrival: WebSocketEvent) {
    let waiting = state.withLock { state in
      if case .closed(let close) = arrival {
        state.end = state.end ?? close
        defer { state.waiting = [] }
        return state.waiting
      }
      if state.waiting.isEmpty {
        state.arrivals.append(arrival)
        return []
      }
      return [state.waiting.removeFirst()]
    }
    for continuation in waiting { continuation.resume(returning: arrival) }
  }

  /// How the task was closed.
  private var close: WebSocketClose {
    guard task.closeCode != .invalid else {
      return WebSocketClose(code: 1006, reason: "the connection broke")
    }
    let reason = String(decoding: task.closeReason ?? Data(), as: UTF8.self)
    return WebSocketClose(code: UInt16(clamping: task.closeCode.rawValue), reason: reason)
  }
}
#endif
