public import ConditionalHTTP
public import HTTPTypes
import Synchronization

/// A transport whose answers are written down beforehand, or given by hand.
///
/// ```swift
/// let exchange = ScriptedExchange([.answer(.init(head: .init(status: .ok), body: [])), .held])
/// // … the second request waits until
/// exchange.settle(2, with: .failure(.init(.unreachable, "the cable is cut")))
/// ```
///
/// It measures no time: a timeout is the business of whoever holds a request too long.
public final class ScriptedExchange: HTTPExchange, Sendable {
  /// What becomes of a request.
  public enum Reply: Sendable {
    /// An answer.
    case answer(HTTPExchangeAnswer)
    /// No answer.
    case failure(HTTPExchangeError)
    /// Nothing, until ``ScriptedExchange/settle(_:with:)`` or the task's end.
    case held
  }

  /// A request that was sent.
  public struct Sent: Sendable {
    /// The number of the request, from 1.
    public var number: Int
    /// Method, scheme, authority, path and fields.
    public var request: HTTPRequest
    /// The longest wait the caller allowed.
    public var timeout: Duration
  }

  private typealias Outcome = Result<HTTPExchangeAnswer, HTTPExchangeError>

  private struct Watcher {
    var number: Int
    var count: Int
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var sent: [Sent] = []
    var replies: [Reply]
    var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
    /// Requests that were cancelled or settled before they began to wait.
    var settled: [Int: Outcome] = [:]
    var watchers: [Watcher] = []
    var lastWatcher = 0
    var cancelledWatchers: Set<Int> = []
  }

  private let state: Mutex<State>
  private let reply: (@Sendable (Sent) -> Reply)?

  /// Creates a transport that gives some replies in order.
  ///
  /// A request for which no reply is left fails as unreachable, and the error says so.
  public init(_ replies: [Reply] = []) {
    state = Mutex(State(replies: replies))
    reply = nil
  }

  /// Creates a transport that works out each reply from the request.
  ///
  /// Replies that were added with ``add(_:)`` come first.
  public init(replying reply: @escaping @Sendable (Sent) -> Reply) {
    state = Mutex(State(replies: []))
    self.reply = reply
  }

  /// Adds a reply behind those that are left.
  public func add(_ reply: Reply) { state.withLock { $0.replies.append(reply) } }

  /// All requests, in the order in which they were sent.
  public var sent: [Sent] { state.withLock { $0.sent } }

  /// The numbers of the requests that wait for a reply, in order.
  public var held: [Int] { state.withLock { $0.waiting.keys.sorted() } }

  // MARK: The transport

  /// Sends a request to the script.
  ///
  /// - Throws: What the script says; `cancelled` as soon as the task is cancelled.
  public func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let (sent, planned, watchers) = record(request, timeout: timeout)
    for watcher in watchers { watcher.continuation.resume(returning: true) }
    guard !Task.isCancelled else { throw Self.cancelled(sent) }
    switch planned ?? reply?(sent) ?? Self.missing(sent) {
    case .answer(let answer): return answer
    case .failure(let error): throw error
    case .held:
      let outcome = await withTaskCancellationHandler {
        await withCheckedContinuation { hold(sent.number, $0) }
      } onCancel: {
        end(sent.number, with: .failure(Self.cancelled(sent)))
      }
      state.withLock { $0.settled[sent.number] = nil }
      return try outcome.get()
    }
  }

  private func record(
    _ request: HTTPRequest,
    timeout: Duration
  ) -> (Sent, Reply?, [Watcher]) {
    state.withLock { state in
      let sent = Sent(number: state.sent.count + 1, request: request, timeout: timeout)
      state.sent.append(sent)
      let count = state.sent.count
      let satisfied = state.watchers.filter { $0.count <= count }
      state.watchers.removeAll { $0.count <= count }
      return (sent, state.replies.isEmpty ? nil : state.replies.removeFirst(), satisfied)
    }
  }

  private func hold(_ number: Int, _ continuation: CheckedContinuation<Outcome, Never>) {
    let outcome = state.withLock { state -> Outcome? in
      if let settled = state.settled[number] { return settled }
      state.waiting[number] = continuation
      return nil
    }
    if let outcome { continuation.resume(returning: outcome) }
  }

  private func end(_ number: Int, with outcome: Outcome) {
    let continuation = state.withLock { state in
      let continuation = state.waiting.removeValue(forKey: number)
      if continuation == nil, state.settled[number] == nil { state.settled[number] = outcome }
      return continuation
    }
    continuation?.resume(returning: outcome)
  }

  private static func cancelled(_ sent: Sent) -> HTTPExchangeError {
    HTTPExchangeError(.cancelled, "request \(sent.number) was cancelled")
  }

  private static func missing(_ sent: Sent) -> Reply {
    let path = sent.request.path ?? ""
    let name = "request \(sent.number), \(sent.request.method) \(path)"
    return .failure(HTTPExchangeError(.unreachable, "the script has no reply left for \(name)"))
  }

  // MARK: By hand

  /// Ends a request that is held.
  ///
  /// - Parameters:
  ///   - number: The number of the request, from 1.
  ///   - reply: What becomes of it; ``Reply/held`` leaves it as it is.
  /// - Returns: Whether it was held; a request that has ended or was never sent is not.
  @discardableResult
  public func settle(_ number: Int, with reply: Reply) -> Bool {
    let outcome: Outcome
    switch reply {
    case .answer(let answer): outcome = .success(answer)
    case .failure(let error): outcome = .failure(error)
    case .held: return state.withLock { $0.waiting[number] != nil }
    }
    let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
    continuation?.resume(returning: outcome)
    return continuation != nil
  }

  /// Waits until at least some requests were sent.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func waitForRequests(atLeast count: Int) async throws {
    let number = state.withLock { state in
      state.lastWatcher += 1
      return state.lastWatcher
    }
    defer { _ = state.withLock { $0.cancelledWatchers.remove(number) } }
    let isSatisfied = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state -> Bool? in
          if state.cancelledWatchers.contains(number) { return false }
          if state.sent.count >= count { return true }
          state.watchers.append(Watcher(number: number, count: count, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let watcher = state.withLock { state -> Watcher? in
        state.cancelledWatchers.insert(number)
        guard let index = state.watchers.firstIndex(where: { $0.number == number }) else {
          return nil
        }
        return state.watchers.remove(at: index)
      }
      watcher?.continuation.resume(returning: false)
    }
    guard isSatisfied, !Task.isCancelled else { throw CancellationError() }
  }
}
