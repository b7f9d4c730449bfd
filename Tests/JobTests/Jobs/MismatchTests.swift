import Jobs
import StrictJSON
import Testing
import TolerantDecoding

/// The forty mismatches of research §4.3, by number.
@Suite struct `The forty mismatches` {
  // Numbers 1 to 10: shapes, names, envelopes.

  @Test func `01: a completion without arrays is a completion`() throws {
    let completion = try ended(
      #"{"type":"job_complete","pipeline":"csv_import","payload":{"summary":{"totalProcessed":48,"successCount":48,"failureCount":0,"duration":349}}}"#
    )
    #expect(completion.books.elements.isEmpty)
    #expect(completion.total == 48)
  }

  @Test func `02: expiresAt may be absent`() throws {
    let completion = try ended(
      #"{"type":"job_complete","payload":{"summary":{"totalProcessed":1}}}"#
    )
    #expect(completion.expiresAt == nil)
    #expect(completion.shape == .summary)
  }

  @Test(arguments: ["csv_import", "batch_enrichment", "ai_scan"])
  func `03: the pipeline says what a completion is, not the order of trials`(
    _ pipeline: String
  ) throws {
    // With every number of a scan optional, a scan would take any of these.
    let text =
      #"{"type":"job_complete","pipeline":"\#(pipeline)","payload":{"summary":{"totalProcessed":3,"successCount":2,"failureCount":1,"duration":5}}}"#
    let message = message(text)
    #expect(message.pipeline == PipelineName(rawValue: pipeline))
    let completion = try ended(text)
    #expect(completion.detected == nil)
    #expect(completion.successes == 2)
  }

  @Test func `04: all shapes become one model and say their shape`() throws {
    let shapes: [(String, CompletionShape)] = [
      (#"{"books":[],"errors":[],"successRate":"45/50"}"#, .full),
      (
        #"{"summary":{"totalProcessed":50,"successCount":45,"failureCount":5,"duration":1}}"#,
        .summary
      ),
      (#"{"booksCount":45,"resultsUrl":"/v1/csv/results/x","successRate":"45/50"}"#, .resultsURL),
      (
        #"{"summary":{"totalProcessed":50,"successCount":45,"failureCount":5},"expiresAt":"2025-11-22T03:49:51.876Z"}"#,
        .summaryWithExpiry
      ),
      (#"{"summary":{"booksDetected":50,"photosProcessed":2}}"#, .photoSummary),
      (#"{"result":{"totalProcessed":50,"successCount":45,"failureCount":5}}"#, .result),
    ]
    for (payload, shape) in shapes {
      let completion = try ended(
        #"{"type":"job_complete","version":"1.0.0","payload":\#(payload)}"#
      )
      #expect(completion.shape == shape, "\(payload)")
      #expect(completion.total == 50, "\(payload)")
      if shape != .photoSummary { #expect(completion.successes == 45, "\(payload)") }
    }
  }

  @Test func `05: unknown types and pipelines are kept`() {
    let message = message(
      #"{"type":"job_paused","pipeline":"audio_scan","jobId":"a","payload":{"x":1}}"#
    )
    #expect(message.body == .unknown)
    #expect(message.type == "job_paused")
    #expect(message.pipeline?.rawValue == "audio_scan")
    #expect(message.raw["payload"]?["x"] == .whole(1))
    #expect(message.issues.allSatisfy { $0.severity == .note })
  }

  @Test(arguments: [
    #"{"type":"ready_ack","pipeline":null}"#, #"{"type":"ready_ack","pipeline":"unknown"}"#,
    #"{"type":"ready_ack"}"#,
    #"{"type":"ready_ack","payload":{"timestamp":"2025-11-20T10:00:00Z"}}"#,
  ])
  func `06: only the type is needed`(_ text: String) {
    let message = message(text)
    #expect(message.body == .ready)
    #expect(message.pipeline == nil)
    #expect(message.job == nil)
  }

  @Test func `07: data is another name of payload`() throws {
    let message = message(
      #"{"type":"batch-progress","jobId":"j","data":{"currentPhoto":1,"totalPhotos":3,"photos":[{"index":0,"status":"complete","booksFound":4}]}}"#
    )
    guard case .photos(let report) = message.body else {
      Issue.record("\(message.body)")
      return
    }
    #expect(report.total == 3)
    #expect(report.photos.first?.booksFound == 4)
    #expect(report.photos.first?.status == .known(.complete))
  }

  @Test func `08: the names of version 1 are understood`() throws {
    #expect(
      try progress(#"{"type":"progress","payload":{"progress":0.5,"status":"x"}}"#).fraction == 0.5
    )
    #expect(
      try ended(#"{"type":"complete","data":{"successRate":"2/3","books":[]}}"#).failures == 1
    )
  }

  @Test(
    arguments: [
      ("1763783391876", 1_763_783_391_876), ("1763783391", 1_763_783_391_000),
      (#""2025-11-22T03:49:51.876Z""#, 1_763_783_391_876),
      (#""2025-11-22T03:49:51Z""#, 1_763_783_391_000),
      (#""2025-11-22 03:49:51.876Z""#, 1_763_783_391_876),
      (#""2025-11-22T04:49:51.876+01:00""#, 1_763_783_391_876),
    ] as [(String, Int64)]
  )
  func `09: a timestamp may be milliseconds, seconds or text`(_ text: String, _ instant: Int64) {
    #expect(message(#"{"type":"ping","timestamp":\#(text)}"#).at == instant)
  }

  @Test(arguments: [
    #"{"code":"E","message":"m","retryable":true}"#,
    #"{"error":{"code":"E","message":"m"},"retryable":true,"data":null}"#,
  ])
  func `10: an error may be flat or nested`(_ payload: String) throws {
    let failure = try ended(#"{"type":"error","payload":\#(payload)}"#).failure
    #expect(failure == JobWireError(code: "E", message: "m", isRetryable: true))
  }

  @Test func `10: an error may be a text`() throws {
    #expect(
      try ended(#"{"type":"error","payload":{"error":"it broke"}}"#).failure?.message == "it broke"
    )
    #expect(try ended(#"{"type":"error","payload":"it broke"}"#).failure?.message == "it broke")
    #expect(try ended(#"{"type":"error"}"#).failure?.code == "unknown")
  }

  // Numbers 11 to 20: values.

  @Test func `11: currentItem may be the book itself`() throws {
    #expect(
      try progress(
        #"{"type":"job_progress","payload":{"progress":0.1,"currentItem":{"title":"Dune","isbn":"1"}}}"#
      ).current == "Dune"
    )
  }

  @Test func `12: null is the same as absent`() throws {
    let absent = message(#"{"type":"job_complete","payload":{"summary":{"totalProcessed":1}}}"#)
    let null = message(
      #"{"type":"job_complete","pipeline":null,"timestamp":null,"payload":{"summary":{"totalProcessed":1,"duration":null},"expiresAt":null,"books":null}}"#
    )
    #expect(absent.body == null.body)
    #expect(null.issues.isEmpty)
  }

  @Test func `13: one JSON value holds everything, null too`() {
    let text = #"{"type":"x","a":null,"b":[1.5,true,{"c":"d"}]}"#
    #expect(message(text).raw["a"] == .null)
    #expect(
      String(decoding: message(text).raw.bytes, as: UTF8.self)
        == #"{"a":null,"b":[1.5,true,{"c":"d"}],"type":"x"}"#
    )
  }

  @Test func `14: snake case and camel case are read alike`() throws {
    let camel = message(
      #"{"type":"reconnected","jobId":"j","payload":{"progress":0.5,"status":"s","processedCount":2,"totalCount":4,"lastUpdate":1763783391876}}"#
    )
    let snake = message(
      #"{"type":"reconnected","job_id":"j","payload":{"progress":0.5,"status":"s","processed_count":2,"total_count":4,"last_update":1763783391876}}"#
    )
    #expect(camel.body == snake.body)
    #expect(snake.job == "j")
  }

  @Test func `15: a duration with a fraction is rounded and reported with its path`() throws {
    let message = message(
      #"{"type":"job_complete","payload":{"summary":{"totalProcessed":1,"duration":349.7}}}"#
    )
    guard case .ended(let completion) = message.body else {
      Issue.record("no end")
      return
    }
    #expect(completion.duration == 350)
    #expect(message.issues.map(\.path) == ["payload.summary.duration"])
    #expect(message.issues.map(\.kind) == [.rounded])
  }

  @Test func `16: a rate is read, percent is taken as such and reported`() throws {
    let completion = try ended(
      #"{"type":"job_complete","payload":{"successRate":"45/50","books":[]}}"#
    )
    #expect([completion.successes, completion.total, completion.failures] == [45, 50, 5])
    let message = message(#"{"type":"job_progress","payload":{"progress":100}}"#)
    guard case .progress(let progress) = message.body else {
      Issue.record("no progress")
      return
    }
    #expect(progress.fraction == 1)
    #expect(message.issues.map(\.kind) == [.converted])
  }

  @Test func `17: a sentence in status is a sentence`() throws {
    #expect(
      try progress(
        #"{"type":"job_progress","payload":{"progress":0,"status":"AI found 12 books…"}}"#
      ).sentence == "AI found 12 books…"
    )
    #expect(
      try progress(
        #"{"type":"job_progress","payload":{"progress":0,"status":"processing","statusMessage":"Reading"}}"#
      ).sentence == "Reading"
    )
    #expect(
      try ended(
        #"{"type":"job_complete","payload":{"status":"All 3 books are in","summary":{"totalProcessed":3}}}"#
      ).ending == .known(.succeeded)
    )
  }

  @Test func `18: photoIndex and index; boxes by size and by corners`() throws {
    let message = message(
      #"{"type":"batch-progress","data":{"photos":[{"photoIndex":2},{"index":3}]}}"#
    )
    guard case .photos(let report) = message.body else {
      Issue.record("\(message.body)")
      return
    }
    #expect(report.photos.map(\.index) == [2, 3])
    let books = try ended(
      #"{"type":"job_complete","pipeline":"ai_scan","payload":{"totalDetected":2,"books":[{"title":"a","boundingBox":{"x":0.1,"y":0.2,"width":0.5,"height":0.25}},{"title":"b","boundingBox":{"x1":0.25,"y1":0.25,"x2":0.5,"y2":0.75}}]}}"#
    ).books.elements
    #expect(books.first?.box == JobBook.Box(x: 0.1, y: 0.2, width: 0.5, height: 0.25))
    #expect(books.last?.box == JobBook.Box(x: 0.25, y: 0.25, width: 0.25, height: 0.5))
  }

  @Test func `19: one ISBN, two, or a list`() throws {
    let books = try ended(
      #"{"type":"job_complete","payload":{"books":[{"title":"a","isbn":"1"},{"title":"b","isbn13":"2","isbn10":"3"},{"title":"c","isbns":["4","5"]}]}}"#
    ).books.elements
    #expect(books.map(\.isbns) == [["1"], ["2", "3"], ["4", "5"]])
  }

  @Test(arguments: ["google_books", "google-books", "Google Books", "googleBooks"])
  func `20: providers are compared without case and separators`(_ text: String) throws {
    let book = try ended(
      #"{"type":"job_complete","payload":{"books":[{"title":"a","provider":"\#(text)"}]}}"#
    ).books.elements.first
    #expect(book?.provider == .known(.googleBooks))
  }

  @Test func `20: an unknown provider is kept`() throws {
    let book = try ended(
      #"{"type":"job_complete","payload":{"books":[{"title":"a","provider":"worldcat"}]}}"#
    ).books.elements.first
    #expect(book?.provider == .unknown("worldcat"))
  }
}
