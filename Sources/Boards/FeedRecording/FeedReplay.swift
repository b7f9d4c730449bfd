package import ConditionalHTTP
import GTFSRealtime
package import HTTPTypes
import Synchronization

/// Replays the recorded responses of a producer, at the same instants.
///
/// A request to `replay://FEED/PATH` is held until the next recorded response is due, and gets that
/// response: its bytes, status and fields, or its failure. Every response therefore reaches the
/// poller once, in order and at its instant, and two replays are equal regardless of the load of
/// the machine. After the last response, requests are held until they are canceled.
package final class FeedReplay: HTTPExchange {
  /// The scheme of the requests that are replayed.
  package static let scheme = "replay"

  /// The clock of a replay, in milliseconds since 1970-01-01T00:00:00Z.
  package struct Time: Sendable {
    let now: @Sendable () -> Int64
    let sleep: @Sendable (_ until: Int64) async throws -> Void

    /// Creates the time from a clock.
    ///
    /// - Parameters:
    ///   - now: The current instant.
    ///   - sleep: Waits until an instant; throws once the task is canceled.
    package init(
      now: @escaping @Sendable () -> Int64,
      sleep: @escaping @Sendable (_ until: Int64) async throws -> Void
    ) {
      self.now = now
      self.sleep = sleep
    }
  }

  /// An event of a replay to show to the user.
  package enum Notice: Hashable, Sendable {
    /// A body is damaged, so its response is omitted.
    case damaged(FeedRecording.Failure)
    /// The last response of every feed was delivered; reported once.
    case ended
  }

  private struct Part {
    var script: FeedRecording.ReplayScript
    /// The last content that was delivered.
    var given: (digest: FeedDigest, place: FeedRecording.BodyPlace)?
    /// Ends when that content was applied.
    var taking: (waiting: AsyncStream<Void>, end: AsyncStream<Void>.Continuation)?
    var isOver = false
  }

  private let reader: FeedRecording.Reader
  private let time: Time
  private let arrivalField: HTTPField.Name
  private let other: any HTTPExchange
  private let report: @Sendable (Notice) -> Void
  private let parts: Mutex<[FeedRecording.Feed: Part]>
  private let longestTaking: Duration

  /// Creates the replay of a recording.
  ///
  /// - Parameters:
  ///   - reader: The recording.
  ///   - start: When the replay starts, in milliseconds since 1970-01-01T00:00:00Z.
  ///   - patience: The timeout of a feed's poller, in milliseconds.
  ///   - time: The service clock.
  ///   - arrivalField: The response field with the instant of arrival, in milliseconds since
  ///     1970-01-01T00:00:00Z.
  ///   - other: Handles all other requests.
  ///   - longestTaking: After how long the next response follows a content that is not in use yet.
  ///   - report: Receives the events to show to the user.
  package init(
    _ reader: FeedRecording.Reader,
    from start: Int64,
    patience: (FeedRecording.Feed) -> Int64,
    time: Time,
    arrivalField: HTTPField.Name,
    otherwise other: any HTTPExchange,
    longestTaking: Duration = .seconds(FeedRecording.Limits.takingSeconds),
    report: @escaping @Sendable (Notice) -> Void
  ) {
    self.reader = reader
    self.time = time
    self.arrivalField = arrivalField
    self.other = other
    self.longestTaking = longestTaking
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

  /// Returns the request for a feed of a recording.
  package static func request(_ feed: FeedRecording.Feed, of path: String) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: scheme, authority: feed.rawValue, path: path)
  }

  /// Records that the content delivered last is in use or was rejected; the next response may
  /// follow.
  package func taken(_ feed: FeedRecording.Feed) {
    parts.withLock { $0[feed]?.taking?.end.finish() }
  }

  /// Returns the next recorded response when it is due.
  ///
  /// - Throws: The recorded failure, or `cancelled`.
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
      case .notify(let step):
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

  /// Returns the response of a step, or `nil` if its body is damaged.
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
      // The poller does not have the recorder's copy, so it gets the confirmed content.
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

  /// Returns whether a recorded 304 refers to the poller's content.
  private func isConfirmed(
    _ recorded: FeedRecording.Answer,
    by request: HTTPRequest,
    _ feed: FeedRecording.Feed
  ) -> Bool {
    let fields = request.headerFields
    guard fields[.ifNoneMatch] != nil || fields[.ifModifiedSince] != nil else { return false }
    return parts.withLock { $0[feed]?.given?.place == recorded.body }
  }

  /// Records that a content is delivered, so that the next response waits until it was applied.
  private func give(
    _ body: [UInt8],
    at place: FeedRecording.BodyPlace,
    _ feed: FeedRecording.Feed
  ) {
    let digest = FeedDigest(body)
    parts.withLock { parts in
      // The poller ignores content that it has already.
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
    await withTaskGroup { [longestTaking] group in
      group.addTask { for await _ in waiting {} }
      group.addTask { try? await Task.sleep(for: longestTaking) }
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
