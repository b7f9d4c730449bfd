import ConditionalHTTP
import FreshnessServer
package import HTTPTypes
import Jobs
import JobsServer
import Logging
package import Serving
import StrictJSON
import Synchronization

/// `GET /ws/progress?jobId=…` for jobs that the app started; other jobs are those of the native authorizer.
package struct BooksTrackAuthorizer: WebSocketAuthorizer {
  let view: JobsView
  let native: JobSocketAuthorizer
  let logger: Logger

  package var messageLimit: Int { native.messageLimit }

  package func open(_ request: HTTPRequest) async -> WebSocketAcceptance? {
    let target = request.path ?? "/"
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first.map({ JobSocketAuthorizer.isPath($0) }) == true else { return nil }
    let text = parts.count > 1 ? String(parts[1]) : ""
    let query = QueryItems(query: text)
    guard let id = query["jobId"], (try? await view.isOwn(id)) == true else {
      return await native.open(request)
    }
    guard view.refusal(request) == nil,
      query["version"].map({ WireVersion(parsing: $0) != nil }) ?? true
    else { return nil }
    let credential = view.credential(request.headerFields, query: text)
    // A client that offers the native subprotocol gets native messages.
    if credential?.subprotocol?.hasPrefix(JobSocketAuthorizer.subprotocol) == true {
      return await native.open(request)
    }
    guard let job = try? await view.job(id, credential?.0),
      let subscription = view.subscribe(to: job)
    else {
      return nil
    }
    let session = BooksTrackSession(
      view: view,
      subscription: subscription,
      messages: BooksTrackMessages(
        job: job.id,
        pipeline: job.pipeline,
        progress: job.progress,
        version: query["version"].flatMap { WireVersion(parsing: $0) },
        photos: (try? await view.fileCount(job)) ?? 0
      ),
      snapshot: query["reconnect"] == "true"
        ? ReadyConversation.Snapshot(position: job.position, progress: job.progress) : nil,
      logger: logger
    )
    return WebSocketAcceptance(
      route: JobSocketAuthorizer.path,
      subprotocol: credential?.subprotocol
    ) { await session.run($0) }
  }
}

/// One open socket of the app.
private final class BooksTrackSession: Sendable {
  private typealias Exit = JobSocketConnection.Exit

  private let view: JobsView
  private let subscription: JobEventSubscription
  private let messages: BooksTrackMessages
  private let logger: Logger
  private let conversation: Mutex<ReadyConversation>
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init(
    view: JobsView,
    subscription: JobEventSubscription,
    messages: BooksTrackMessages,
    snapshot: ReadyConversation.Snapshot?,
    logger: Logger
  ) {
    self.view = view
    self.subscription = subscription
    self.messages = messages
    self.logger = logger
    conversation = Mutex(ReadyConversation(at: .now, snapshot: snapshot))
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func run(_ socket: any ServerWebSocket) async {
    subscription.listens(1)
    defer { subscription.listens(-1) }
    let connection = JobSocketConnection(socket, limits: view.limits)
    let exit = await withTaskGroup(of: Exit.self) { group in
      group.addTask { await self.follow() }
      group.addTask { await self.speak(connection) }
      group.addTask { await self.listen(connection) }
      group.addTask { await connection.ping() }
      group.addTask { await connection.watch { self.subscription.isEnding } }
      var first = await group.next() ?? .gone
      // The job may be over long before everything about it is said.
      while case .done = first { first = await group.next() ?? .gone }
      if case .close(let code, let reason) = first { await connection.close(code, reason) }
      waker.finish()
      group.cancelAll()
      return first
    }
    if case .close(let code, _) = exit { subscription.closed(code) }
  }

  private func change(_ body: (inout ReadyConversation) -> Void) {
    conversation.withLock { body(&$0) }
    waker.yield()
  }

  /// Takes in what happens to the job.
  private func follow() async -> Exit {
    do {
      let ending = try await subscription.follow { [self] update in
        if case .alive(let progress) = update { change { $0.lives(progress) } }
        if let event = update.event { change { $0.happened(event) } }
      }
      switch ending {
      case .finished: break
      case .closed: change { $0.ends(.serverEnds) }
      case .gone: change { $0.ends(.expired) }
      }
      return .done
    } catch is CancellationError {
      return .done
    } catch {
      logger.error(
        "a feed failed",
        metadata: ["job": "\(subscription.job.id)", "error": "\(error)"]
      )
      return .close(.serverError, "the server failed")
    }
  }

  /// Says what is to be said, when it is to be said.
  private func speak(_ connection: JobSocketConnection) async -> Exit {
    var alarm: Task<Void, Never>?
    defer { alarm?.cancel() }
    waker.yield()
    for await _ in wakes {
      let steps = conversation.withLock { $0.steps(at: .now) }
      for step in steps {
        do {
          switch step {
          case .close(.over(let ending)):
            return Self.closing(ending)
          case .close(.serverEnds): return .close(.goingAway, "the server ends")
          case .close(.expired): return .close(.expired, "the results are gone")
          default: try await connection.send(try await text(step))
          }
        } catch is WebSocketError {
          return .gone
        } catch is CancellationError {
          return .gone
        } catch {
          logger.error(
            "a feed failed",
            metadata: ["job": "\(subscription.job.id)", "error": "\(error)"]
          )
          return .close(.serverError, "the server failed")
        }
      }
      let hasEnded = steps.contains { step in
        if case .say(let event) = step { event.isTerminal } else { false }
      }
      let time = conversation.withLock { conversation in
        if hasEnded { conversation.performed(at: .now) }
        return conversation.wakesAt
      }
      alarm?.cancel()
      if let time {
        alarm = Task { [waker] in
          if (try? await Task.sleep(until: time, clock: .continuous)) != nil { waker.yield() }
        }
      }
    }
    return .gone
  }

  /// How a socket closes after the end of its job; the app takes the first two as the end.
  private static func closing(_ ending: JobEnding) -> Exit {
    switch ending {
    case .succeeded: .close(.finished, "Job completed")
    case .canceled: .close(.goingAway, "Job canceled")
    case .failed: .close(.serverError, "Job failed")
    }
  }

  /// The text of a step that says something.
  private func text(_ step: ReadyConversation.Step) async throws -> JSONValue {
    switch step {
    case .acknowledge: return messages.readyAck(at: view.now)
    case .snapshot(let progress): return messages.reconnected(progress, at: view.now)
    case .close: return messages.reconnected(subscription.job.progress, at: view.now)
    case .live(let progress): return messages.alive(progress, at: view.now)
    case .say(let event):
      subscription.countMessage()
      guard event.isTerminal else { return messages.message(event, items: []) }
      return messages.message(
        event,
        items: try await view.embedded(subscription.job),
        progress: try await view.progress(of: subscription.job)
      )
    }
  }

  /// Takes in what the app says.
  ///
  /// What is not understood is passed: a notice would be a message that it cannot read.
  private func listen(_ connection: JobSocketConnection) async -> Exit {
    var passed: [Int64] = []
    while true {
      guard case .message(let text) = await connection.next() else { return .gone }
      do {
        switch Self.type(text) {
        case "ready": change { $0.ready() }
        case "ping": try await connection.send(messages.pong(at: view.now))
        case "pong": break
        case "cancel", "cancel_batch", "cancel_job": _ = try await view.cancel(subscription.job)
        default:
          passed = passed.filter { $0 > view.now - 60_000 } + [view.now]
          subscription.noticed()
        }
      } catch {
        return .gone
      }
      if passed.count > view.limits.noticesPerMinute {
        return .close(.tooManyNotices, "too many messages that are not understood")
      }
    }
  }

  private static func type(_ text: String) -> String? {
    // Older apps send exactly these two.
    if text == "PING" { return "pong" }
    var rules = JSONReader.Rules.lenient
    rules.most = 10_000
    return (try? JSONReader.value(of: Array(text.utf8), rules: rules))?["type"]?.string
  }
}
