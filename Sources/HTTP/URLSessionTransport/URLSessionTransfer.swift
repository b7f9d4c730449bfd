import ConditionalHTTP
import Foundation
import HTTPTypes
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One task of a session, read part by part by one reader.
final class URLSessionTransfer: Sendable {
  private struct State {
    var parts: [HTTPStreamPart] = []
    var waitingBytes = 0
    var end: Result<Void, any Error>?
    var reader: CheckedContinuation<HTTPStreamPart?, any Error>?
    var isSuspended = false
  }

  let task: URLSessionDataTask
  private let waitingLimit: Int
  private let state = Mutex(State())

  /// Creates a transfer for a task that has not begun.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - waitingLimit: The maximum number of unread bytes.
  init(task: URLSessionDataTask, waitingLimit: Int) {
    self.task = task
    self.waitingLimit = waitingLimit
  }

  /// Waits for the next part; returns `nil` at the end.
  ///
  /// Cancellation ends the transfer.
  func next() async throws -> HTTPStreamPart? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { reader in
        let ready = state.withLock { state -> Result<HTTPStreamPart?, any Error>? in
          guard state.parts.isEmpty else { return .success(takePart(&state)) }
          if let end = state.end { return end.map { nil } }
          state.reader = reader
          return nil
        }
        if let ready { reader.resume(with: ready) }
      }
    } onCancel: {
      end(.failure(CancellationError()))
      task.cancel()
    }
  }

  /// Ends the transfer; does nothing if it is over.
  func cancel() {
    end(.failure(CancellationError()))
    task.cancel()
  }

  /// Records the arrival of a part.
  func receive(_ part: HTTPStreamPart) {
    let (reader, isTooMuch) = state.withLock { state in
      if state.end != nil {
        return (nil as CheckedContinuation<HTTPStreamPart?, any Error>?, false)
      }
      if let reader = state.reader {
        state.reader = nil
        return (reader, false)
      }
      state.parts.append(part)
      if case .content(let bytes) = part { state.waitingBytes += bytes.count }
      #if !canImport(FoundationNetworking)
      if state.waitingBytes > waitingLimit / 2, !state.isSuspended {
        state.isSuspended = true
        task.suspend()
      }
      #endif
      return (nil, state.waitingBytes > waitingLimit)
    }
    reader?.resume(returning: part)
    guard isTooMuch else { return }
    let text = "more than \(waitingLimit) bytes are unread"
    end(.failure(HTTPExchangeError(.tooLarge, text)))
    task.cancel()
  }

  /// Records the end of the task; buffered parts are still delivered, unless it failed.
  func end(_ result: Result<Void, any Error>) {
    let reader = state.withLock { state -> CheckedContinuation<HTTPStreamPart?, any Error>? in
      guard state.end == nil else { return nil }
      state.end = result
      if case .failure(let error) = result, !(error is URLError) { state.parts = [] }
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(with: result.map { nil })
  }

  private func takePart(_ state: inout sending State) -> HTTPStreamPart? {
    let part = state.parts.removeFirst()
    if case .content(let bytes) = part { state.waitingBytes -= bytes.count }
    if state.isSuspended, state.parts.isEmpty {
      state.isSuspended = false
      task.resume()
    }
    return part
  }
}

/// Dispatches the events of a session to its transfers.
final class URLSessionTransfers: NSObject, URLSessionDataDelegate, Sendable {
  private let transfers = Mutex<[Int: URLSessionTransfer]>([:])

  /// Adds a transfer before its task begins; it is removed when the task is over.
  func add(_ transfer: URLSessionTransfer) {
    transfers.withLock { $0[transfer.task.taskIdentifier] = transfer }
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let transfer = transfer(of: dataTask), let answer = response as? HTTPURLResponse else {
      completionHandler(.cancel)
      return
    }
    // Some platforms deliver informational responses too; the final one follows.
    if !(100...199).contains(answer.statusCode) {
      transfer.receive(.head(Self.head(of: answer)))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard !data.isEmpty else { return }
    transfer(of: dataTask)?.receive(.content(Array(data)))
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The exchange follows redirects itself.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    let transfer = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    transfer?.end(error.map { .failure($0) } ?? .success(()))
  }

  private func transfer(of task: URLSessionTask) -> URLSessionTransfer? {
    transfers.withLock { $0[task.taskIdentifier] }
  }

  /// Returns the status and fields of a response; the platform has joined fields of one name.
  static func head(of answer: HTTPURLResponse) -> HTTPResponse {
    var head = HTTPResponse(status: .init(code: answer.statusCode))
    for (name, value) in answer.allHeaderFields {
      guard
        let text = name as? String, let value = value as? String,
        let field = HTTPField.Name(text)
      else { continue }
      head.headerFields.append(HTTPField(name: field, value: value))
    }
    return head
  }
}
