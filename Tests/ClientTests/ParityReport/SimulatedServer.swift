import ConditionalHTTP
import Freshness
import FreshnessRuntime
import Hashing

/// A stationboard server with a realtime feed, on its own clock.
struct SimulatedServer {
  /// The wall time at which everything begins.
  var origin: Int64 = 1_795_503_600_417
  /// The stop that it serves.
  var stop = "8501120"
  /// The milliseconds between two publications; `nil` stops the feed.
  var period: Int64? = 15_000
  /// The percentage of publications that change the board.
  var changePercent: UInt64 = 70
  /// The percentage of requests that fail.
  var failurePercent: UInt64 = 0
  /// Whether it reports the freshness of its boards.
  var saysFreshness = true
  /// The key of its receipts.
  var key: ReceiptKey?
  /// The status it reports.
  var status = RealtimeStatus.applied

  private var generator: SplitMix64
  private var names: UInt64 = 0

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// A response, with what a client records of it.
  struct Reply {
    var answer: Answer
    var evidence: SampleEvidence
  }

  /// Returns the publication that is served at an instant.
  private func publication(_ at: Int64) -> Int64 {
    guard let period else { return 0 }
    return max((at - 800) / period, 0)
  }

  /// Returns the version of the board: publications without changes do not make a new one.
  private func edition(_ at: Int64) -> Int64 {
    var edition: Int64 = 1
    for number in 0..<publication(at) {
      var random = SplitMix64(seed: UInt64(number) &* 7_919)
      if random.next() % 100 < changePercent { edition += 1 }
    }
    return edition
  }

  /// Responds to a request that reaches the server at an instant.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - at: The instant.
  ///   - client: The kind of client.
  ///   - after: What the request says about the previous receipt.
  /// - Returns: The response.
  mutating func reply(
    to request: Request,
    at: Int64,
    of client: AnswerReceipt.Client = .program,
    after: AnswerReceipt.After? = nil
  ) -> Reply {
    var evidence = SampleEvidence(reason: request.refresh.reason, asked: stop)
    names += 1
    evidence.requestId = "request-\(generator.next())-\(names)"
    guard generator.next() % 100 >= failurePercent else {
      return Reply(answer: Answer(.serverError, status: 500), evidence: evidence)
    }
    let edition = edition(at)
    evidence.entityTag = "\"\(edition)\""
    let time = origin + at
    let isSame = request.validator?.number == edition
    var metadata = FreshnessMetadata()
    // A 304 has no body: its time is that of the Date field, in whole seconds.
    let server = isSame ? time / 1_000 * 1_000 : time
    metadata.serverTime = WallTime(milliseconds: server)
    if saysFreshness {
      let made = (origin + publication(at) * (period ?? 0)) / 1_000 * 1_000
      metadata.fetchedAt = WallTime(milliseconds: made)
      metadata.cacheAge = .milliseconds(time - made)
      metadata.status = status
      if !isSame { metadata.mode = status == .applied ? .full : .degradedStatic }
    }
    if !isSame {
      evidence.answered = stop
      evidence.digest = generator.next()
    }
    let content = Content(Revision(edition), validator: Validator(edition), hasRealtime: true)
    var answer = Answer(
      isSame ? .unchanged : .content(content),
      status: isSame ? 304 : 200,
      bytes: isSame ? 0 : 18_000 + Int64(generator.next() % 900),
      metadata: metadata
    )
    if let key {
      let facts = AnswerReceipt.Facts(
        requestId: evidence.requestId ?? "",
        entityTag: "\"\(edition)\"",
        subject: stop,
        realtime: metadata.status?.name ?? "",
        status: isSame ? 304 : 200
      )
      evidence.receipt =
        AnswerReceipt(
          facts,
          serverTime: time,
          sourceTime: metadata.fetchedAt?.milliseconds,
          client: client,
          after: after,
          key: key
        ).text
    }
    if let period {
      let next = origin + (publication(at) + 1) * period + 800
      answer.hints.nextExpectedAt = WallTime(milliseconds: next)
    }
    return Reply(answer: answer, evidence: evidence)
  }
}
