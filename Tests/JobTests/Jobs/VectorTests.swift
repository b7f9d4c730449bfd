import Foundation
import Jobs
import StrictJSON
import Testing
import TolerantDecoding

/// The client decoding vectors of research §5.6, by number.
@Suite struct `Client decoding vectors` {
  @Test func `01: test 1 of the seed, without type, pipeline, expiry and resourceId`() throws {
    let text =
      #"{"payload":{"summary":{"totalProcessed":48,"successCount":48,"failureCount":0,"duration":349}}}"#
    let completion = try ended(text)
    #expect([completion.total, completion.successes, completion.failures] == [48, 48, 0])
    #expect(completion.duration == 349)
    #expect(completion.expiresAt == nil)
    #expect(completion.resourceId == nil)
    #expect(message(text).issues.map(\.kind) == [.missing])
  }

  @Test(arguments: [349, 394, 413])
  func `02: test 2 of the seed, to the millisecond`(_ duration: Int64) throws {
    let completion = try ended(
      #"{"type":"job_complete","jobId":"j","pipeline":"csv_import","timestamp":1763696991876,"version":"1.0.0","payload":{"type":"job_complete","pipeline":"csv_import","summary":{"totalProcessed":48,"successCount":48,"failureCount":0,"duration":\#(duration),"resourceId":"job-results:x"},"expiresAt":"2025-11-22T03:49:51.876Z"}}"#
    )
    #expect(completion.expiresAt == 1_763_783_391_876)
    #expect(completion.duration == duration)
    #expect(completion.resourceId == "job-results:x")
    #expect(completion.shape == .summaryWithExpiry)
  }

  @Test(
    arguments: [
      ("null", nil, 0), (#""""#, nil, 1), ("1763783391876", 1_763_783_391_876, 0),
      ("1763783391", 1_763_783_391_000, 0), (#""2025-11-22T03:49:51+00:00""#, 1_763_783_391_000, 0),
      (#""2025-11-22""#, 1_763_769_600_000, 1), (#""garbage""#, nil, 1), ("true", nil, 1),
      ("[]", nil, 1), ("-1", nil, 1),
    ] as [(String, Int64?, Int)]
  )
  func `03: any expiry, and never an error`(
    _ text: String,
    _ expected: Int64?,
    _ issues: Int
  ) throws {
    let message = message(
      #"{"type":"job_complete","payload":{"summary":{"totalProcessed":1},"expiresAt":\#(text)}}"#
    )
    guard case .ended(let completion) = message.body else {
      Issue.record("no end")
      return
    }
    #expect(completion.expiresAt == expected)
    #expect(message.issues.count == issues)
    #expect(message.issues.allSatisfy { $0.path == "payload.expiresAt" })
  }

  @Test(arguments: ["csv_import", "batch_enrichment", "ai_scan"])
  func `04: five shapes of three pipelines give the same numbers`(_ pipeline: String) throws {
    let payloads = [
      #"{"summary":{"totalProcessed":25,"successCount":20,"failureCount":5,"duration":8500}}"#,
      #"{"summary":{"totalProcessed":25,"successCount":20,"failureCount":5,"duration":8500},"expiresAt":"2025-11-22T03:49:51.876Z"}"#,
      #"{"result":{"totalProcessed":25,"successCount":20,"failureCount":5,"duration":8500}}"#,
      #"{"successRate":"20/25","resultsUrl":"/r","metadata":{"processingTime":8500}}"#,
      #"{"totalProcessed":25,"successCount":20,"failureCount":5,"duration":8500,"enrichedBooks":[]}"#,
    ]
    for payload in payloads {
      let completion = try ended(
        #"{"type":"job_complete","pipeline":"\#(pipeline)","payload":\#(payload)}"#
      )
      #expect(
        [completion.total, completion.successes, completion.failures] == [25, 20, 5],
        "\(payload)"
      )
      #expect(completion.duration == 8_500, "\(payload)")
    }
  }

  @Test func `05: a rate of version 1`() throws {
    let completion = try ended(
      #"{"type":"job_complete","payload":{"books":[],"errors":[],"successRate":"45/50"}}"#
    )
    #expect([completion.successes, completion.total, completion.failures] == [45, 50, 5])
  }

  @Test func `06: a scan without totals counts what it detected`() throws {
    let completion = try ended(
      #"{"type":"job_complete","pipeline":"ai_scan","payload":{"summary":{"photosProcessed":2,"booksDetected":25,"booksUnique":24,"booksEnriched":20,"approved":20,"needsReview":5,"duration":8500,"resourceId":"scan-results:x"}}}"#
    )
    #expect(completion.total == 25)
    #expect(
      [completion.detected, completion.approved, completion.needsReview, completion.photos] == [
        25, 20, 5, 2,
      ]
    )
    #expect(completion.shape == .photoSummary)
  }

  @Test func `07: an unknown type costs nothing; an unknown pipeline keeps its completion`() throws
  {
    #expect(message(#"{"type":"job_paused"}"#).body == .unknown)
    let message = message(
      #"{"type":"job_complete","pipeline":"audio_scan","payload":{"summary":{"totalProcessed":3,"successCount":3}}}"#
    )
    guard case .ended(let completion) = message.body else {
      Issue.record("no end")
      return
    }
    #expect(message.pipeline?.rawValue == "audio_scan")
    #expect(completion.failures == 0)
  }

  @Test(arguments: [
    #"{"type":"ready_ack"}"#, #"{"type":"ready_ack","pipeline":null,"jobId":null}"#,
    #"{"type":"ready_ack","timestamp":"2025-11-20T10:00:00.000Z"}"#,
    #"{"type":"ready_ack","payload":{"type":"ready_ack","timestamp":1763783391876}}"#,
  ])
  func `08: every ready_ack`(_ text: String) {
    #expect(message(text).body == .ready)
    #expect(message(text).issues.isEmpty)
  }

  @Test func `09: batch messages with data`() {
    guard
      case .photos(let report) = message(
        #"{"type":"batch-init","data":{"totalPhotos":5,"status":"queued"}}"#
      ).body
    else {
      Issue.record("no photos")
      return
    }
    #expect(report.total == 5)
    #expect(message(#"{"type":"batch-canceling","data":{}}"#).body == .canceling)
    guard
      case .ended(let completion) = message(
        #"{"type":"batch-complete","data":{"totalBooks":1,"photoResults":[{"index":0,"booksFound":1}],"books":[{"title":"a"}]}}"#
      ).body
    else {
      Issue.record("no end")
      return
    }
    #expect(completion.books.elements.count == 1)
  }

  @Test(
    arguments: [
      (#"{"code":"E","message":"m"}"#, nil), (#"{"error":{"code":"E","message":"m"}}"#, nil),
      (#"{"code":"E","message":"m","retryable":false,"details":[1,{"a":null}]}"#, false),
      (#"{"error":{"code":"E","message":"m"},"retryable":true}"#, true),
    ] as [(String, Bool?)]
  )
  func `10: every error`(_ payload: String, _ retryable: Bool?) throws {
    let failure = try ended(#"{"type":"error","payload":\#(payload)}"#).failure
    #expect(failure?.code == "E")
    #expect(failure?.message == "m")
    #expect(failure?.isRetryable == retryable)
    let text = try ended(#"{"type":"error","payload":"it broke"}"#).failure
    #expect(text?.message == "it broke")
    #expect(text?.code == JobWireError.unknownCode)
  }

  @Test(
    arguments: [
      (#""0.5""#, 0.5, 1), ("50", 0.5, 1), ("1.0000001", 1, 1), ("-0.1", 0, 1), ("null", 0, 1),
      (#""NaN""#, 0, 1), ("0.25", 0.25, 0), ("1", 1, 0), ("1e999", 0, 1), ("true", 0, 1),
    ] as [(String, Double, Int)]
  )
  func `11: every progress`(_ text: String, _ expected: Double, _ issues: Int) throws {
    let message = message(#"{"type":"job_progress","payload":{"progress":\#(text)}}"#)
    guard case .progress(let progress) = message.body else {
      Issue.record("no progress")
      return
    }
    #expect(progress.fraction == expected)
    #expect(message.issues.count == issues)
  }

  @Test(
    arguments: [
      ("5.0", 5, 0), (#""5""#, 5, 1), ("5.5", 6, 1), ("true", nil, 1), ("1e400", nil, 1),
      ("-3", 0, 1), ("[5]", nil, 1),
    ] as [(String, Int?, Int)]
  )
  func `12: every count`(_ text: String, _ expected: Int?, _ issues: Int) throws {
    let message = message(
      #"{"type":"job_progress","payload":{"progress":0,"processedCount":\#(text)}}"#
    )
    guard case .progress(let progress) = message.body else {
      Issue.record("no progress")
      return
    }
    #expect(progress.processed == expected)
    #expect(message.issues.count == issues)
  }

  @Test func `13: one bad book of three`() throws {
    let completion = try ended(
      #"{"type":"job_complete","payload":{"enrichedBooks":[{"title":"a"},{"confidence":1},{"title":"c"}]}}"#
    )
    #expect(completion.books.elements.count == 2)
    #expect(completion.books.dropped == 1)
  }

  @Test func `14: a book as current item`() throws {
    #expect(
      try progress(
        #"{"type":"job_progress","payload":{"progress":0,"currentItem":{"title":"Dune"}}}"#
      ).current == "Dune"
    )
    #expect(
      try progress(#"{"type":"job_progress","payload":{"progress":0,"currentItem":{"x":1}}}"#)
        .current == nil
    )
  }

  @Test func `15: reconnected in both cases of letters`() {
    guard
      case .snapshot(let report) = message(
        #"{"type":"reconnected","payload":{"progress":0.5,"status":"s","processed_count":2,"total_count":4,"last_update":1763783391876,"message":"m"}}"#
      ).body
    else {
      Issue.record("no snapshot")
      return
    }
    #expect(report.progress.processed == 2)
    #expect(report.progress.total == 4)
    #expect(report.updatedAt == 1_763_783_391_876)
  }

  @Test func `16: duplicates, marks, garbage, cuts, depth and length end nothing`() throws {
    #expect(
      try ended(
        #"{"type":"job_complete","payload":{"summary":{"totalProcessed":1,"totalProcessed":2}}}"#
      ).total == 1
    )
    #expect(message("\u{FEFF}{\"type\":\"ping\"}").body == .ping)
    for text in [
      #"{"type":"ping"} x"#, #"{"type":"job_comp"#, "", "null", "[]", "7",
      String(repeating: "[", count: 100_000),
    ] {
      #expect(message(text).body == .unreadable, "\(text.prefix(20))")
      #expect(!message(text).issues.isEmpty)
    }
    let long =
      #"{"type":"job_progress","payload":{"progress":0.5,"status":""#
      + String(repeating: "x", count: 10 << 20) + #""}}"#
    #expect(try progress(long).fraction == 0.5)
    var limits = DecodeLimits()
    limits.bytes = 1 << 20
    #expect(JobMessageReader(limits: limits).message(Array(long.utf8)).body == .unreadable)
  }

  @Test func `17: a sign of life is one only if it says so`() throws {
    #expect(try !progress(#"{"type":"job_progress","payload":{"progress":0}}"#).isKeepAlive)
    #expect(
      try progress(#"{"type":"job_progress","payload":{"progress":0,"keepAlive":true}}"#)
        .isKeepAlive
    )
  }

  @Test(arguments: [
    (400, #"{"success":false,"error":{"code":"E","message":"m"}}"#, "E"),
    (429, #"{"error":"slow down","code":"E"}"#, "E"),
    (409, #"{"type":"about:blank","title":"t","status":409,"detail":"d","error":"E"}"#, "E"),
    (502, "<html><h1>502</h1></html>", "http_502"), (204, "", "http_204"),
    (500, "null", "http_500"),
    (400, #"{"data":null,"metadata":{},"error":{"message":"m","code":"E"}}"#, "E"),
  ])
  func `18: every envelope of an error`(_ status: Int, _ body: String, _ code: String) {
    #expect(JobAnswerReader().refusal(status: status, body: Array(body.utf8)).error.code == code)
  }

  @Test(
    arguments: [200, 201, 202],
    [
      #"{"jobId":"j","token":"t"}"#, #"{"jobId":"j","authToken":"t"}"#,
      #"{"data":{"jobId":"j","token":"t"}}"#,
    ]
  )
  func `19: every answer to a start`(_ status: Int, _ body: String) {
    let started = JobAnswerReader().start(status: status, body: Array(body.utf8)).started
    #expect(started?.job == "j")
    #expect(started?.token == "t")
  }

  @Test func `20: a terminal message twice, or after cancelling, counts once`() {
    var follower = JobFollower()
    _ = follower.start(now: 0)
    _ = follower.opened(attempt: 1, now: 0)
    let end = message(
      #"{"type":"job_complete","epoch":1,"seq":1,"payload":{"status":"canceled","summary":{"totalProcessed":0}}}"#
    )
    let error = message(#"{"type":"error","payload":{"code":"CANCELED","message":"canceled"}}"#)
    var endings = 0
    for message in [end, end, error, end] {
      for case .finish in follower.received(message, attempt: 1, now: 1, random: 0) { endings += 1 }
    }
    #expect(endings == 1)
    guard case .ended(let completion) = error.body else {
      Issue.record("no end")
      return
    }
    #expect(completion.ending == .known(.canceled))
  }

  @Test func `any bytes are a message of some kind`() {
    let seeds = [
      #"{"type":"job_complete","jobId":"j","pipeline":"ai_scan","timestamp":1,"payload":{"summary":{"totalProcessed":1,"duration":2.5},"expiresAt":"2025-11-22T03:49:51.876Z","books":[{"title":"a","boundingBox":{"x1":1}}]}}"#,
      #"{"type":"error","payload":{"error":{"code":"E","message":"m"}}}"#,
      #"{"type":"reconnected","epoch":1,"payload":{"progress":0.5,"status":"s","lastSeq":4}}"#,
    ].map { Array($0.utf8) }
    var random = SystemRandomNumberGenerator()
    for round in 0..<20_000 {
      var bytes = seeds[round % seeds.count]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = .random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8(ascii: "0"), at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + 8))
        }
        if bytes.isEmpty { break }
      }
      let message = JobMessageReader().message(bytes)
      #expect(message.issues.count <= 100)
    }
  }
}

/// The client of version 1 of the seed, which fails on messages of version 2.
private struct OldClient {
  struct CSVImport: Codable {
    let books: [Book]
    let errors: [ImportError]
    let successRate: String
  }
  struct Book: Codable {
    let title: String
    let author: String
    let isbn: String?
  }
  struct ImportError: Codable {
    let title: String
    let error: String
  }
  struct Enrichment: Codable {
    let totalProcessed: Int
    let successCount: Int
    let failureCount: Int
    let duration: Int
    let enrichedBooks: [Row]
    struct Row: Codable {
      let title: String
      let success: Bool
    }
  }
  struct Scan: Codable {
    let totalDetected: Int
    let approved: Int
    let needsReview: Int
    let books: [Found]
    struct Found: Codable {
      let title: String?
      let confidence: Double
    }
  }
  struct Message<Payload: Codable>: Codable {
    let type: String
    let jobId: String
    let pipeline: String
    let timestamp: Int64
    let version: String
    let payload: Payload
  }

  static func decode(_ bytes: [UInt8]) throws -> String {
    let data = Data(bytes)
    let decoder = JSONDecoder()
    // By trial, and what failed is forgotten: as the old client did it.
    if let scan = try? decoder.decode(Message<Scan>.self, from: data) {
      return "scan \(scan.payload.totalDetected)"
    }
    if let batch = try? decoder.decode(Message<Enrichment>.self, from: data) {
      return "batch \(batch.payload.successCount)"
    }
    if let csv = try? decoder.decode(Message<CSVImport>.self, from: data) {
      return "csv \(csv.payload.successRate)"
    }
    throw DecodingError.dataCorrupted(
      .init(codingPath: [], debugDescription: "Could not decode any known JobCompletePayload type")
    )
  }
}

@Suite struct `The failing client of the seed` {
  private func event(_ completion: JobCompletion) -> JobEvent {
    JobEvent(
      position: EventPosition(epoch: 7, seq: 9),
      at: 1_763_696_991_876,
      body: .ended(completion)
    )
  }

  private var completion: JobCompletion {
    var completion = JobCompletion(duration: 349, expiresAt: 1_763_783_391_876)
    completion.add([.imported: 47, .failed: 1])
    return completion
  }

  private var items: [JobItem] {
    (0..<48).map {
      $0 == 3
        ? JobItem(
          number: $0,
          outcome: .failed,
          problems: [.init(code: "isbn_checksum", message: "no ISBN")],
          raw: Array("x,y".utf8)
        )
        : JobItem(
          number: $0,
          outcome: .imported,
          value: .object([
            "title": .string("Book \($0)"), "author": .string("A"), "confidence": JSONValue(0.9),
          ])
        )
    }
  }

  @Test(arguments: PipelineName.known)
  func `it fails on messages of version 2, and ours reads the same bytes`(_ pipeline: PipelineName)
  {
    for version in [WireVersion.v2, .v2WithExpiry] {
      let bytes = JobMessageWriter(job: "j", pipeline: pipeline, version: version).message(
        event(completion),
        items: items
      ).bytes
      #expect(throws: DecodingError.self) { try OldClient.decode(bytes) }
      let message = JobMessageReader().message(bytes)
      guard case .ended(let read) = message.body else {
        Issue.record("no end")
        return
      }
      #expect([read.total, read.successes, read.failures] == [48, 47, 1])
      #expect(read.expiresAt == (version == .v2 ? nil : 1_763_783_391_876))
      #expect(message.issues.isEmpty)
    }
  }

  @Test func `it reads what we write for version 1`() throws {
    func decode(_ pipeline: PipelineName, _ completion: JobCompletion) throws -> String {
      try OldClient.decode(
        JobMessageWriter(job: "j", pipeline: pipeline, version: .v1).message(
          event(completion),
          items: items
        ).bytes
      )
    }
    #expect(try decode(.csvImport, completion) == "csv 47/48")
    #expect(try decode(.batchEnrichment, completion) == "batch 47")
    var scan = completion
    scan.add([.approved: 40, .needsReview: 7, .failed: 1])
    #expect(try decode(.aiScan, scan) == "scan 47")
  }

  @Test func `versions on one event agree with each other`() throws {
    var seen: Set<[Int?]> = []
    for version in WireVersion.allCases {
      for pipeline in PipelineName.known {
        let bytes = JobMessageWriter(job: "j", pipeline: pipeline, version: version).message(
          event(completion),
          items: items
        ).bytes
        let message = try JobMessageReader(mode: .strict(from: .warning)).strictMessage(bytes)
        guard case .ended(let read) = message.body else {
          Issue.record("no end")
          return
        }
        if version == .v1, pipeline == .aiScan { continue }
        seen.insert([read.total, read.successes, read.failures])
        #expect(message.position == EventPosition(epoch: 7, seq: 9))
      }
    }
    #expect(seen == [[48, 47, 1]])
  }
}
