package import ConditionalHTTP
import GTFSRealtime
package import HTTPTypes
import Synchronization

/// Answers from a recording what the producer answered when it was recorded, at the same instants.
///
/// A request to `replay://FEED/PATH` is held until the next recorded answer is due, and gets that answer:
/// its bytes, status and fields, or its failure. So every answer reaches the poller once, in its order and at
/// its instant, and two replays are alike whatever the machine does meanwhile. After the last answer nothing
/// comes any more: requests are held until they are cancelled.
package final class FeedReplay: HTTPExchange {
  /// The scheme of the requests that are answered.
  package static let scheme = "replay"

  /// Where a replay takes its time from, in milliseconds since 1970-01-01T00:00:00Z.
  package struct Time: Sendable {
    let now: @Sendable () -> Int64
    let sleep: @Sendable (_ until: Int64) async throws -> Void

    /// Creates the time from a clock.
    ///
    /// - Parameters:
    ///   - now: The present instant.
    ///   - sleep: Waits until an instant; throws once the task is cancelled.
    package init(
      now: @escaping @Sendable () -> Int64,
      sleep: @escaping @Sendable (_ until: Int64) async throws -> Void
    ) {
      self.now = now
      self.sleep = sleep
    }
  }

  /// What a person should know of a replay.
  package enum Notice: Hashable, Sendable {
    /// A body is damaged, so its answer is left out.
    case damaged(FeedRecording.Failure)
    /// The last answer of every feed was given; told once.
    case ended
  }

  private struct Part {
    var script: FeedRecording.ReplayScript
    /// The last content that was given.
    var given: (digest: FeedDigest, place: FeedRecording.BodyPlace)?
    /// Ends when that content was taken.
    var taking: (waiting: AsyncStream<Void>, end: AsyncStream<Void>.Continuation)?
    var isOver = false
  }

  private let reader: FeedRecording.Reader
  private let time: Time
  private let arrivalField: HTTPField.Name
  private let other: any HTTPExchange
  private let report: @Sendable (Notice) -> Void
  private let parts: Mutex<[FeedRecording.Feed: Part]>

  /// Creates the replay of a recording.
  ///
  /// - Parameters:
  ///   - reader: The recording.
  ///   - start: When the replay starts, in milliseconds since 1970-01-01T00:00:00Z.
  ///   - patience: How long the poller of a feed waits for an answer, in milliseconds.
  ///   - time: The service clock.
  ///   - arrivalField: The field of answers that carries the instant of their arrival, in milliseconds since
  ///     1970-01-01T00:00:00Z.
  ///   - other: Answers all other requests.
  ///   - report: Is told what a person should know.
  package init(
    _ reader: FeedRecording.Reader,
    from start: Int64,
    patience: (FeedRecording.Feed) -> Int64,
    time: Time,
    arrivalField: HTTPField.Name,
    otherwise other: any HTTPExchange,
    report: @escaping @Sendable (Notice) -> Void
  ) {
    self.reader = reader
    self.time = time
    self.arrivalField = arrivalField
    self.other = other
    self.report = report
    var parts: [FeedRecording.Feed: Part] = [:]
    for feed in FeedRecording.Feed.allCases {
      let answers = reader.answers(feed)
      guard !answers.isEmpty else { continue }
      let script = FeedRecording.ReplayScript(answers, from: start, patience: patience(feed))
      parts[feed] = Part(script: script)
    }
    self.parts = Mutex(parts)
  }

  /// The request for a feed of a recording.
  package static func request(_ feed: FeedRecording.Feed, of path: String) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: scheme, authority: feed.rawValue, path: path)
  }

  /// Notes that the content given last is in use or was refused; the next answer may come.
  package func taken(_ feed: FeedRecording.Feed) {
    parts.withLock { $0[feed]?.taking?.end.finish() }
  }

  /// Gives the next recorded answer when it is due.
  ///
  /// - Throws: The failure that was recorded, or `cancelled`.
  @concurrent
  package func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    guard request.scheme == Self.scheme, request.path == reader.path,
      let feed = FeedRecording.Feed(rawValue: request.authority ?? "")
    else { return try await other.send(request, timeout: timeout) }
    await waitUntilTaken(feed)
    while true {
      let now = time.now()
      switch parts.withLock({ $0[feed]?.script.turn(at: now) }) {
      case .tell(let step):
        if let answer = try answer(step, to: request, feed) { return answer }
      case .wait(let instant):
        do { try await time.sleep(instant) } catch {
          throw HTTPExchangeError(.cancelled, "the replay was cancelled")
        }
      case .over, nil:
        try await standStill(feed)
      }
    }
  }

  // MARK: Answers

  /// The answer of a step; `nil` if its body is damaged.
  private func answer(
    _ step: FeedRecording.ReplayScript.Step,
    to request: HTTPRequest,
    _ feed: FeedRecording.Feed
  ) throws(HTTPExchangeError) -> HTTPExchangeAnswer? {
    let recorded = step.answer
    guard !step.isTimeout else { throw HTTPExchangeError(.timedOut, FeedRecording.noAnswerInTime) }
    guard (100...599).contains(recorded.status) else {
      throw HTTPExchangeError(.unreachable, recorded.failure)
    }
    guard recorded.failure.isEmpty else { throw HTTPExchangeError(.tooLarge, recorded.failure) }
    let body: [UInt8]
    do throws(FeedRecording.Failure) {
      body = try reader.body(of: recorded)
    } catch {
      report(.damaged(error))
      return nil
    }
    var fields = HTTPFields()
    for field in recorded.fields {
      guard let name = HTTPField.Name(field.name) else { continue }
      fields.append(HTTPField(name: name, value: field.value))
    }
    fields[arrivalField] = String(step.instant)
    var status = recorded.status
    if status == 304 {
      if isConfirmed(recorded, by: request, feed) {
        return HTTPExchangeAnswer(head: Self.head(304, fields), body: [])
      }
      // The poller has not what the recorder had: it gets the content that was confirmed.
      guard recorded.body != nil else {
        return HTTPExchangeAnswer(head: Self.head(304, fields), body: [])
      }
      status = 200
    }
    if recorded.isSuccess, let place = recorded.body { give(body, at: place, feed) }
    return HTTPExchangeAnswer(head: Self.head(status, fields), body: body)
  }

  private static func head(_ status: Int, _ fields: HTTPFields) -> HTTPResponse {
    HTTPResponse(status: .init(code: status), headerFields: fields)
  }

  /// Whether a recorded 304 is about the content that the poller has.
  private func isConfirmed(
    _ recorded: FeedRecording.Answer,
    by request: HTTPRequest,
    _ feed: FeedRecording.Feed
  ) -> Bool {
    let fields = request.headerFields
    guard fields[.ifNoneMatch] != nil || fields[.ifModifiedSince] != nil else { return false }
    return parts.withLock { $0[feed]?.given?.place == recorded.body }
  }

  /// Notes a content that is given, so that the next answer waits until it was taken.
  private func give(
    _ body: [UInt8],
    at place: FeedRecording.BodyPlace,
    _ feed: FeedRecording.Feed
  ) {
    let digest = FeedDigest(body)
    parts.withLock { parts in
      // The poller takes no notice of a content that it has.
      let isNew = parts[feed]?.given?.digest != digest
      parts[feed]?.given = (digest, place)
      guard isNew else { return }
      let (waiting, end) = AsyncStream.makeStream(of: Void.self)
      parts[feed]?.taking = (waiting, end)
    }
  }

  // MARK: Waiting

  private func waitUntilTaken(_ feed: FeedRecording.Feed) async {
    guard let waiting = parts.withLock({ $0[feed]?.taking?.waiting }) else { return }
    await withTaskGroup { group in
      group.addTask { for await _ in waiting {} }
      group.addTask { try? await Task.sleep(for: .seconds(FeedRecording.Limits.takingSeconds)) }
      await group.next()
      group.cancelAll()
    }
    parts.withLock { $0[feed]?.taking = nil }
  }

  private func standStill(_ feed: FeedRecording.Feed) async throws(HTTPExchangeError) {
    let isEnd = parts.withLock { parts in
      guard parts[feed]?.isOver == false else { return false }
      parts[feed]?.isOver = true
      return parts.values.allSatisfy(\.isOver)
    }
    if isEnd { report(.ended) }
    do { try await Task.sleep(for: .seconds(86_400)) } catch {
      throw HTTPExchangeError(.cancelled, "the replay was cancelled")
    }
  }
}
