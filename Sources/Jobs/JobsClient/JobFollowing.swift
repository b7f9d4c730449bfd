import ConditionalHTTP
import EventFeed
import Foundation
import HTTPTypes
public import Jobs
import TolerantDecoding

/// An update of a followed job.
public enum JobUpdate: Hashable, Sendable {
  /// A message, in order; none comes twice.
  case message(JobMessage)
  /// A new token took the place of the old one.
  case credential(JobCredential)
  /// How the job is followed now; also when a connection is back.
  case transport(JobFollower.Transport)
  /// The connection is gone, and is sought again; once until a ``transport(_:)`` follows.
  case interrupted
  /// It is over; the last update, exactly once.
  case finished(JobFollower.Ending)
}

extension JobClient {
  /// Follows a job to its end, across connections.
  ///
  /// Ending the iteration or canceling the task stops following; the job continues.
  ///
  /// - Parameters:
  ///   - credential: The job.
  ///   - position: The last known event; `nil` for the beginning.
  ///   - policy: Waits and limits.
  /// - Returns: Updates, ending with ``JobUpdate/finished(_:)``.
  public func follow(
    _ credential: JobCredential,
    after position: EventPosition? = nil,
    policy: JobFollower.Policy = JobFollower.Policy()
  ) -> AsyncStream<JobUpdate> {
    AsyncStream { continuation in
      let following = JobFollowing(self, credential, position, policy, continuation)
      let task = Task { await following.start() }
      continuation.onTermination = { _ in
        task.cancel()
        Task { await following.stop() }
      }
    }
  }
}

/// Carries out the orders of a ``JobFollower``.
private actor JobFollowing {
  private let client: JobClient
  private var credential: JobCredential
  private var machine: JobFollower
  private let continuation: AsyncStream<JobUpdate>.Continuation
  private let reader = JobMessageReader()
  private let answers = JobAnswerReader()
  private let begin = ContinuousClock.now
  private let beginWall = JobClient.wallTime
  private var connection: Task<Void, Never>?
  /// A request for a new token; it runs beside a stream and is never abandoned: without its response the follower
  /// cannot continue.
  private var renewal: Task<Void, Never>?
  private var alarm: Task<Void, Never>?
  private var shown: JobFollower.Transport?
  /// Whether an interruption was reported that has not ended.
  private var isInterrupted = false

  init(
    _ client: JobClient,
    _ credential: JobCredential,
    _ position: EventPosition?,
    _ policy: JobFollower.Policy,
    _ continuation: AsyncStream<JobUpdate>.Continuation
  ) {
    self.client = client
    self.credential = credential
    self.continuation = continuation
    machine = JobFollower(
      policy: policy,
      after: position,
      tokenExpiry: credential.tokenExpiresAt,
      transport: client.sockets == nil ? .eventStream : .webSocket
    )
  }

  /// The current instant, in milliseconds: the time here when it began, and what went by since, whatever becomes of the clock.
  private var now: Int64 { beginWall + Int64((ContinuousClock.now - begin) / .milliseconds(1)) }
  private var random: UInt64 { .random(in: .min ... .max) }

  func start() { perform(machine.start(now: now)) }

  func stop() {
    connection?.cancel()
    renewal?.cancel()
    alarm?.cancel()
  }

  private func perform(_ orders: [JobFollower.Order]) {
    for order in orders {
      switch order {
      case .connect(let transport, let position, let attempt):
        connection?.cancel()
        connection = Task { await self.connect(transport, position, attempt) }
      case .disconnect:
        connection?.cancel()
        connection = nil
      case .poll:
        connection?.cancel()
        connection = Task { await self.poll() }
      case .refreshToken:
        renewal = Task { await self.refresh() }
      case .wake(let span):
        alarm?.cancel()
        alarm = Task {
          guard (try? await Task.sleep(for: .milliseconds(span))) != nil else { return }
          self.wake()
        }
      case .deliver(let message):
        if case .token(let token, let expiry) = message.body {
          let end = expiry.map { JobClient.wallTime + $0 - (message.at ?? JobClient.wallTime) }
          keep(JobCredential(job: credential.job, token: token, tokenExpiresAt: end))
        }
        continuation.yield(.message(message))
      case .finish(let ending):
        alarm?.cancel()
        alarm = nil
        let renewal = renewal
        Task {
          // The end prolongs a token that is good, and an older one only for a short while.
          await renewal?.value
          continuation.yield(.finished(ending))
          continuation.finish()
        }
      }
    }
  }

  private func keep(_ fresh: JobCredential) {
    credential = fresh
    continuation.yield(.credential(fresh))
  }

  private func wake() {
    let orders = machine.woke(now: now, random: random)
    // A stream that is left because it was silent for too long.
    if orders.first == .disconnect { interrupted() }
    perform(orders)
  }

  private func interrupted() {
    guard !machine.isOver, !isInterrupted else { return }
    isInterrupted = true
    shown = nil
    continuation.yield(.interrupted)
  }

  private func connected(by transport: JobFollower.Transport) {
    isInterrupted = false
    guard shown != transport else { return }
    shown = transport
    continuation.yield(.transport(transport))
  }

  // MARK: Streams

  private func connect(
    _ transport: JobFollower.Transport,
    _ position: EventPosition?,
    _ attempt: Int
  ) async {
    if transport == .webSocket {
      await openSocket(position, attempt)
    } else {
      await openStream(position, attempt)
    }
  }

  private func openSocket(_ position: EventPosition?, _ attempt: Int) async {
    guard let sockets = client.sockets else { return ended(.broken, attempt) }
    var request = client.server.request(
      "/ws/progress",
      query: [("jobId", credential.job), ("after", position?.description)],
      fields: [.secWebSocketProtocol: "freshet-auth.\(credential.token)"]
    )
    request.scheme = request.scheme == "https" ? "wss" : "ws"
    do {
      try await sockets.withSocket(request, timeout: JobClient.timeout) { socket in
        await self.opened(.webSocket, attempt)
        try? await socket.send(.text("{\"type\":\"ready\"}"))
        while !Task.isCancelled {
          switch await socket.next() {
          case .message(.text(let text)): await self.received(Array(text.utf8), attempt)
          case .message(.binary(let bytes)): await self.received(bytes, attempt)
          case .pong: await self.heard()
          case .closed(let close):
            return await self.ended(.closed(code: close.code, reason: close.reason), attempt)
          }
        }
      }
    } catch {
      guard !Task.isCancelled else { return }
      if case .refused(let status, _) = error.code, status != 101 {
        ended(.status(status), attempt)
      } else {
        ended(.broken, attempt)
      }
    }
  }

  private func openStream(_ position: EventPosition?, _ attempt: Int) async {
    var request = client.server.request(
      "/v1/jobs/\(credential.job)/events",
      fields: credential.authorization
    )
    request.headerFields[.accept] = "text/event-stream"
    if let position { request.headerFields[.lastEventID] = position.description }
    let stream = StreamReader(attempt: attempt, following: self)
    do {
      try await client.transport.stream(request, timeout: JobClient.timeout) { part in
        await stream.handle(part)
      }
      guard !Task.isCancelled else { return }
      // The server ends a stream behind the end of the job, and before it when it ends itself.
      await stream.finish()
    } catch {
      guard !Task.isCancelled else { return }
      ended(.broken, attempt)
    }
  }

  fileprivate func opened(_ transport: JobFollower.Transport, _ attempt: Int) {
    connected(by: transport)
    perform(machine.opened(attempt: attempt, now: now))
  }

  fileprivate func received(_ bytes: [UInt8], _ attempt: Int) {
    perform(machine.received(reader.message(bytes), attempt: attempt, now: now, random: random))
  }

  fileprivate func reconnects(after milliseconds: Int64, _ attempt: Int) {
    machine.reconnects(after: milliseconds, attempt: attempt)
  }

  fileprivate func heard() { machine.heard(now: now) }

  fileprivate func ended(_ trouble: JobFollower.Trouble, _ attempt: Int) {
    let orders = machine.ended(trouble, attempt: attempt, now: now, random: random)
    guard !orders.isEmpty else { return }
    interrupted()
    perform(orders)
  }

  // MARK: Questions

  private func poll() async {
    do throws(JobClientFailure) {
      let state = try await client.state(credential, after: machine.asksAfter)
      guard !Task.isCancelled else { return }
      if machine.transport == .polling { connected(by: .polling) }
      perform(machine.polled(state.events, state: state.state?.known, now: now, random: random))
    } catch {
      guard !Task.isCancelled else { return }
      let orders = machine.pollFailed(Self.trouble(error), now: now, random: random)
      interrupted()
      perform(orders)
    }
  }

  private func refresh() async {
    do throws(JobClientFailure) {
      let fresh = try await client.refresh(credential)
      renewal = nil
      keep(fresh)
      guard !Task.isCancelled else { return }
      let left = fresh.tokenExpiresAt.map { $0 - JobClient.wallTime }
      perform(machine.tokenRefreshed(expiresAt: left.map { now + $0 }, now: now))
    } catch {
      renewal = nil
      guard !Task.isCancelled else { return }
      perform(machine.tokenNotRefreshed(Self.trouble(error), now: now, random: random))
    }
  }

  private static func trouble(_ failure: JobClientFailure) -> JobFollower.Trouble {
    switch failure {
    case .unreachable: .broken
    // A successful response of another kind cannot be read.
    case .refused(let refusal) where 200..<300 ~= refusal.status: .unreadable
    case .refused(let refusal): .status(refusal.status)
    case .notFinished: .status(409)
    case .unknownJob: .status(404)
    case .expired: .status(410)
    }
  }
}

/// Reads one stream of server-sent events.
private actor StreamReader {
  private let attempt: Int
  private let following: JobFollowing
  private var parser = EventStreamParser()
  private var status = 0
  private var isTooLong = false

  init(attempt: Int, following: JobFollowing) {
    self.attempt = attempt
    self.following = following
  }

  func handle(_ part: HTTPStreamPart) async -> HTTPStreamDemand {
    switch part {
    case .head(let head):
      status = head.status.code
      guard status == 200 else { return .enough }
      await following.opened(.eventStream, attempt)
      return .more
    case .content(let bytes):
      var items: [EventStreamItem] = []
      do throws(EventStreamError) {
        try parser.feed(bytes, into: &items)
      } catch {
        isTooLong = true
      }
      await following.heard()
      for item in items {
        switch item {
        case .event(let event): await following.received(Array(event.data.utf8), attempt)
        case .retry(let milliseconds): await following.reconnects(after: milliseconds, attempt)
        case .comment: break
        }
      }
      return isTooLong ? .enough : .more
    }
  }

  func finish() async {
    switch status {
    case 200 where isTooLong: await following.ended(.unreadable, attempt)
    case 200: await following.ended(.broken, attempt)
    default: await following.ended(.status(status), attempt)
    }
  }
}
