import Jobs
import StrictJSON
import Testing
import TolerantDecoding

/// The forty mismatches of research §4.3, by number, from 21.
@Suite struct `The forty mismatches, from 21` {
  @Test func `21: counts of an answer may be absent`() throws {
    let page = JobAnswerReader().results(
      status: 200,
      body: Array(#"{"items":[{"number":0,"outcome":"imported"}]}"#.utf8)
    )
    guard case .page(let page) = page else {
      Issue.record("\(page)")
      return
    }
    #expect(page.total == nil)
    #expect(page.items.elements.count == 1)
  }

  @Test func `22: a renamed description is found under both names`() throws {
    let decoded = try TolerantDecoder().decode(Array(#"{"description":"x"}"#.utf8)) { root in
      root[["editionDescription", "description"]].string()
    }
    #expect(decoded.model == "x")
    #expect(decoded.issues.map(\.kind) == [.alias])
  }

  @Test(arguments: [
    (200, #"{"success":true,"data":{"jobId":"j","token":"t"},"meta":{}}"#),
    (202, #"{"data":{"jobId":"j","token":"t"},"metadata":{"timestamp":1}}"#),
    (201, #"{"jobId":"j","token":"t"}"#),
  ])
  func `23: success is inferred from the status and the absence of an error`(
    _ status: Int,
    _ body: String
  ) {
    #expect(JobAnswerReader().start(status: status, body: Array(body.utf8)).started?.job == "j")
  }

  @Test func `23: an error without metadata is an error`() {
    let answer = JobAnswerReader().start(
      status: 400,
      body: Array(#"{"success":false,"error":{"code":"E","message":"m"}}"#.utf8)
    )
    #expect(answer.refusal?.error.code == "E")
  }

  @Test func `24: a flat error with a code is read`() {
    let answer = JobAnswerReader().start(
      status: 429,
      body: Array(
        #"{"error":"Too many requests","code":"RATE_LIMIT_EXCEEDED","details":{"retryAfter":5}}"#
          .utf8
      )
    )
    #expect(answer.refusal?.error.code == "RATE_LIMIT_EXCEEDED")
    #expect(answer.refusal?.error.message == "Too many requests")
    #expect(answer.refusal?.error.details?["retryAfter"] == .whole(5))
  }

  @Test(arguments: [200, 201, 202, 203])
  func `25: every 2xx is a success`(_ status: Int) {
    #expect(
      JobAnswerReader().start(status: status, body: Array(#"{"jobId":"j","token":"t"}"#.utf8))
        .started != nil
    )
  }

  @Test func `26: neither writer nor reader escapes titles for a page`() throws {
    let item = JobItem(
      number: 0,
      outcome: .imported,
      value: .object(["title": .string("Tom & \"Jerry\" <3")])
    )
    let event = JobEvent(
      position: EventPosition(epoch: 1, seq: 1),
      at: 0,
      body: .ended(JobCompletion(total: 1, successes: 1, failures: 0))
    )
    let bytes = JobMessageWriter(job: "j", pipeline: .csvImport, version: .v1).message(
      event,
      items: [item]
    ).bytes
    guard case .ended(let completion) = JobMessageReader().message(bytes).body else {
      Issue.record("no end")
      return
    }
    #expect(completion.books.elements.first?.title == "Tom & \"Jerry\" <3")
    #expect(
      try ended(#"{"type":"job_complete","payload":{"books":[{"title":"Tom &amp; Jerry"}]}}"#).books
        .elements.first?.title == "Tom &amp; Jerry"
    )
  }

  @Test func `27: one bad element does not cost the list`() throws {
    let message = message(
      #"{"type":"job_complete","pipeline":"batch_enrichment","payload":{"enrichedBooks":[{"title":"a","success":true},17,{"title":"c","success":false}]}}"#
    )
    guard case .ended(let completion) = message.body else {
      Issue.record("no end")
      return
    }
    #expect(completion.books.elements.map(\.title) == ["a", "c"])
    #expect(completion.books.dropped == 1)
    #expect(
      message.issues.contains {
        $0.kind == .droppedElement && $0.path == "payload.enrichedBooks[1]"
      }
    )
  }

  @Test func `28: what cannot be read is a message without an effect`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    _ = follower.opened(attempt: 1, now: 1)
    let orders = follower.received(message("<html>502</html>"), attempt: 1, now: 2, random: 0)
    #expect(!orders.contains { if case .finish = $0 { true } else { false } })
    #expect(!orders.contains(.disconnect))
  }

  @Test func `29: a text that says ready_ack somewhere is not one`() {
    #expect(
      message(#"{"type":"job_progress","payload":{"progress":0,"status":"waiting for ready_ack"}}"#)
        .body != .ready
    )
  }

  @Test func `30: the stored expiry is what every version and answer says`() throws {
    let completion = JobCompletion(
      total: 1,
      successes: 1,
      failures: 0,
      expiresAt: 1_763_783_391_876
    )
    let event = JobEvent(position: EventPosition(epoch: 1, seq: 1), at: 5, body: .ended(completion))
    let message = JobMessageWriter(job: "j", pipeline: .csvImport, version: .v2WithExpiry).message(
      event
    )
    #expect(message["payload"]?["expiresAt"] == .string("2025-11-22T03:49:51.876Z"))
    for version in [WireVersion.v1, .v2] {
      #expect(
        JobMessageWriter(job: "j", pipeline: .csvImport, version: version).message(event)[
          "payload"
        ]?["expiresAt"] == nil
      )
    }
  }

  @Test func `31: counts may be absent, and a total of 0 is not known`() throws {
    let progress = try progress(
      #"{"type":"job_progress","payload":{"progress":0.02,"status":"validating","totalCount":0}}"#
    )
    #expect(progress.total == nil)
    #expect(progress.processed == nil)
  }

  @Test(arguments: ["completed", "complete", "job_complete"])
  func `32: the end comes once, whatever it is called`(_ type: String) {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    _ = follower.opened(attempt: 1, now: 1)
    let text = #"{"type":"\#(type)","jobId":"j","payload":{"summary":{"totalProcessed":1}}}"#
    #expect(follower.received(message(text), attempt: 1, now: 2, random: 0).count == 3)
    #expect(follower.received(message(text), attempt: 1, now: 3, random: 0).isEmpty)
  }

  @Test(arguments: [
    #"{"jobId":"j","token":"t"}"#, #"{"jobId":"j","authToken":"t"}"#,
    #"{"data":{"jobId":"j","token":"t"}}"#,
    #"{"data":{"jobId":"j","authToken":"t","token":"old"}}"#,
  ])
  func `33: token and authToken are one`(_ body: String) {
    #expect(JobAnswerReader().start(status: 202, body: Array(body.utf8)).started?.token == "t")
  }

  @Test func `34: a duration says its unit, or its size does`() throws {
    for (payload, expected) in [
      (#"{"estimatedDuration":30}"#, 30_000), (#"{"estimatedDuration":30000}"#, 30_000),
      (#"{"estimatedDurationMs":400}"#, 400),
    ] as [(String, Int64)] {
      guard
        case .started(let start) = message(#"{"type":"job_started","payload":\#(payload)}"#).body
      else {
        Issue.record("no start")
        return
      }
      #expect(start.estimate == expected)
    }
    guard
      case .started(let start) = message(#"{"type":"job_started","payload":{"totalItems":10}}"#)
        .body
    else {
      Issue.record("no start")
      return
    }
    #expect(start.total == 10)
  }

  @Test func `35: a canceled job has a list of books, an empty one`() throws {
    let completion = try ended(#"{"type":"job_complete","payload":{"status":"canceled"}}"#)
    #expect(completion.ending == .known(.canceled))
    #expect(completion.books.elements.isEmpty)
  }

  @Test func `36: a completion one level deeper is found`() throws {
    let completion = try ended(
      #"{"type":"job_complete","payload":{"type":"job_complete","data":{"books":[{"title":"a"}],"successRate":"1/1"}}}"#
    )
    #expect(completion.books.elements.count == 1)
    #expect(completion.total == 1)
  }

  @Test func `37: an expiry that is past refuses nothing; the clock of the server counts`() {
    let hint = ExpiryHint(expiresAt: 10_000, serverNow: 5_000, clientNow: 50_000)
    #expect(hint.remaining(clientNow: 51_000) == 4_000)
    #expect(hint.remaining(clientNow: 90_000) == 0)
    // Only the status says that results are gone.
    let page = JobAnswerReader().results(
      status: 200,
      body: Array(#"{"items":[],"expiresAt":"2001-01-01T00:00:00Z"}"#.utf8)
    )
    if case .page = page {} else { Issue.record("\(page)") }
    #expect(JobAnswerReader().results(status: 410, body: []) == .expired)
    #expect(JobAnswerReader().results(status: 404, body: []) == .unknownJob)
  }

  @Test func `38: each reason of a close has its own code`() {
    #expect(Set(JobCloseCode.allCases.map(\.rawValue)).count == JobCloseCode.allCases.count)
    #expect(JobCloseCode.action(after: 4401, reason: "") == .refreshToken)
    #expect(JobCloseCode.action(after: 1013, reason: "") == .reconnect)
    #expect(JobCloseCode.action(after: 1008, reason: "Connection limit exceeded") == .reconnect)
    #expect(JobCloseCode.action(after: 1008, reason: "Invalid token") == .refreshToken)
    #expect(JobCloseCode.action(after: 1006, reason: "") == .reconnect)
    #expect(JobCloseCode.action(after: 4410, reason: "") == .askState)
  }

  @Test func `39: what an answer does not say is not invented`() throws {
    let book = try ended(#"{"type":"job_complete","payload":{"books":[{"title":"a"}]}}"#).books
      .elements.first
    #expect(book?.succeeded == nil)
    #expect(book?.confidence == nil)
    #expect(book?.provider == nil)
    #expect(book?.enrichment == nil)
    let message = message(#"{"type":"job_progress","payload":{"status":"x"}}"#)
    #expect(message.issues.contains { $0.kind == .missing && $0.path == "payload.progress" })
  }

  @Test func `40: the id of a job is the server's`() {
    // The server accepts both bodies (JobsServerTests); a response without an id does not start a job.
    let answer = JobAnswerReader().start(status: 202, body: Array(#"{"token":"t"}"#.utf8))
    #expect(answer.started == nil)
    #expect(answer.refusal != nil)
  }
}
