public import ConditionalHTTP
public import HTTPTypes
import Synchronization

/// A transport whose responses are scripted, or given by hand.
///
/// ```swift
/// let exchange = ScriptedExchange([.answer(.init(head: .init(status: .ok), body: [])), .held])
/// // … the second request waits until
/// exchange.finish(2, with: .failure(.init(.unreachable, "the cable is cut")))
/// ```
///
/// It measures no time: timeouts are up to the caller.
public final class ScriptedExchange: HTTPExchange, Sendable {
  /// The reply to a request.
  public enum Reply: Sendable {
    /// A response.
    case answer(HTTPExchangeAnswer)
    /// No response.
    case failure(HTTPExchangeError)
    /// None until ``ScriptedExchange/finish(_:with:)``, or until the task ends.
    case held
  }

  /// A request that was sent.
  public struct Sent: Sendable {
    /// The number of the request, from 1.
    public var number: Int
    /// The method, scheme, authority, path and fields.
    public var request: HTTPRequest
    /// The timeout of the caller.
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
    /// The number of requests with a known reply.
    var announced = 0
    /// The requests that are held, waiting already or about to wait.
    var held: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
    /// The replies to held requests that were given before they began to wait.
    var early: [Int: Outcome] = [:]
    var watchers: [Watcher] = []
    var lastWatcher = 0
    var cancelledWatchers: Set<Int> = []
  }

  private let state: Mutex<State>
  private let reply: (@Sendable (Sent) -> Reply)?

  /// Creates a transport that gives replies in order.
  ///
  /// A request without a remaining reply fails as unreachable, and the error says so.
  public init(_ replies: [Reply] = []) {
    state = Mutex(State(replies: replies))
    reply = nil
  }

  /// Creates a transport that derives each reply from the request.
  ///
  /// Replies added with ``add(_:)`` come first.
  public init(replying reply: @escaping @Sendable (Sent) -> Reply) {
    state = Mutex(State(replies: []))
    self.reply = reply
  }

  /// Appends a reply to the remaining ones.
  public func add(_ reply: Reply) { state.withLock { $0.replies.append(reply) } }

  /// All requests, in the order in which they were sent.
  public var sent: [Sent] { state.withLock { $0.sent } }

  /// The numbers of the held requests, in order.
  public var held: [Int] { state.withLock { $0.held.sorted() } }

  // MARK: The transport

  /// Sends a request to the script.
  ///
  /// - Throws: The scripted error; `cancelled` as soon as the task is canceled.
  public func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let (sent, planned) = record(request, timeout: timeout)
    let reply = planned ?? self.reply?(sent) ?? Self.missing(sent)
    announce(sent, reply)
    let end = await withTaskCancellationHandler {
      await outcome(of: reply, sent.number)
    } onCancel: {
      self.end(sent.number, with: .failure(Self.cancelled(sent)))
    }
    guard !Task.isCancelled else { throw Self.cancelled(sent) }
    return try end.get()
  }

  private func record(_ request: HTTPRequest, timeout: Duration) -> (Sent, Reply?) {
    state.withLock { state in
      let sent = Sent(number: state.sent.count + 1, request: request, timeout: timeout)
      state.sent.append(sent)
      return (sent, state.replies.isEmpty ? nil : state.replies.removeFirst())
    }
  }

  private func announce(_ sent: Sent, _ reply: Reply) {
    let satisfied = state.withLock { state in
      if case .held = reply { state.held.insert(sent.number) }
      state.announced += 1
      let count = state.announced
      let satisfied = state.watchers.filter { $0.count <= count }
      state.watchers.removeAll { $0.count <= count }
      return satisfied
    }
    for watcher in satisfied { watcher.continuation.resume(returning: true) }
  }

  private func outcome(of reply: Reply, _ number: Int) async -> Outcome {
    switch reply {
    case .answer(let answer): return .success(answer)
    case .failure(let error): return .failure(error)
    case .held: break
    }
    return await withCheckedContinuation { continuation in
      let early = state.withLock { state -> Outcome? in
        if let early = state.early.removeValue(forKey: number) { return early }
        state.waiting[number] = continuation
        return nil
      }
      if let early { continuation.resume(returning: early) }
    }
  }

  /// Ends a held request, now or as soon as it waits; returns whether it was held.
  @discardableResult
  private func end(_ number: Int, with outcome: Outcome) -> Bool {
    let (wasHeld, continuation) = state.withLock { state in
      guard state.held.remove(number) != nil else {
        return (false, nil as CheckedContinuation<Outcome, Never>?)
      }
      let continuation = state.waiting.removeValue(forKey: number)
      if continuation == nil { state.early[number] = outcome }
      return (true, continuation)
    }
    continuation?.resume(returning: outcome)
    return wasHeld
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

  /// Ends a held request.
  ///
  /// - Parameters:
  ///   - number: The number of the request, from 1.
  ///   - reply: The reply; ``Reply/held`` changes nothing.
  /// - Returns: Whether it was held; false if the request has ended or was never sent.
  @discardableResult
  public func finish(_ number: Int, with reply: Reply) -> Bool {
    switch reply {
    case .answer(let answer): end(number, with: .success(answer))
    case .failure(let error): end(number, with: .failure(error))
    case .held: state.withLock { $0.held.contains(number) }
    }
  }

  /// Waits until at least a number of requests were sent and are answered, refused or held.
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
          if state.announced >= count { return true }
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
