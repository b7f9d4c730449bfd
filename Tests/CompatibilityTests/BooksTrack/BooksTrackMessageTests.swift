import CompatibilityCheck
import Jobs
import JobsServer
import StrictJSON
import Testing
import TolerantDecoding

@testable import BooksTrackDialect

@Suite("Messages and results of BooksTrack")
struct BooksTrackMessageTests {
  static let pipelines: [PipelineName] = [.csvImport, .batchEnrichment, .aiScan]

  /// Results with everything that ours may have, and with as little as they may have.
  private func items(_ pipeline: PipelineName) -> [JobItem] {
    let book = JSONValue.object([
      "title": .string("Dune"), "authors": .list([.string("Frank Herbert"), .string("B")]),
      "isbn": .string("9780441013593"), "publisher": .string("Ace"),
      "publicationYear": .whole(2005),
      "firstPublicationYear": .whole(1965), "pageCount": .whole(604), "language": .string("en"),
      "format": .string("Mass market paperback"), "subtitle": .string("x"),
      "coverImageURL": .string("https://c.example/1.jpg"), "openLibraryWorkID": .string("OL1W"),
      "openLibraryEditionID": .string("OL1M"), "subjects": .list([.string("sand")]),
    ])
    let full: [String: JSONValue] = [
      "title": .string("Dune"), "author": .string("Frank Herbert"), "row": .whole(1),
      "isbn": .string("9780441013593"), "enriched": book, "confidence": .decimal("0.93"),
      "provider": .string("dump"), "photo": .whole(0),
      "boundingBox": .object([
        "x": .decimal("0.1"), "y": .decimal("0.2"), "width": .decimal("0.05"),
        "height": .decimal("0.6"),
      ]),
    ]
    let problem = JobItem.Problem(code: "x", message: "why")
    let outcomes: [JobOutcome] =
      switch pipeline {
      case .csvImport: [.imported, .updated, .duplicate, .removed, .blank, .failed]
      case .batchEnrichment: [.enriched, .failed]
      default: [.approved, .needsReview, .failed]
      }
    var items: [JobItem] = []
    for outcome in outcomes {
      for value in [JSONValue.object(full), .object([:]), nil] {
        items.append(
          JobItem(
            number: items.count,
            outcome: outcome,
            problems: outcome == .failed ? [problem] : [],
            value: value
          )
        )
      }
    }
    return items
  }

  private func messages(_ pipeline: PipelineName, _ version: WireVersion?) -> BooksTrackMessages {
    BooksTrackMessages(
      job: "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
      pipeline: pipeline,
      progress: JobProgress(fraction: 0.5, processed: 3, total: 7, sentence: "importing: 3 of 7"),
      version: version,
      photos: 2
    )
  }

  private func all(_ pipeline: PipelineName, _ version: WireVersion?) -> [JSONValue] {
    let writer = messages(pipeline, version)
    let position = EventPosition(epoch: 1, seq: 9)
    let items = items(pipeline)
    var completions: [JobCompletion] = []
    for ending in [JobEnding.succeeded, .canceled, .failed] {
      var completion = JobCompletion(
        ending: ending,
        duration: 349,
        expiresAt: 1_763_783_391_876
      )
      completion.add(Dictionary(grouping: items, by: \.outcome).mapValues(\.count))
      completions.append(completion)
      if ending == .failed {
        completion.failure = JobWireError(code: "c", message: "m", isRetryable: true)
        completions.append(completion)
      }
      completions.append(JobCompletion(ending: ending))
    }
    let progresses = [
      JobProgress(fraction: 0), JobProgress(fraction: 1, isKeepAlive: true),
      JobProgress(
        fraction: 1.0 / 3.0,
        processed: 1,
        total: 3,
        phase: "p",
        current: "Dune",
        sentence: "s"
      ),
    ]
    let bodies: [JobEvent.Body] =
      [.started(phases: [JobPhase("a", weight: 1)], total: 5), .started(phases: [], total: nil)]
      + progresses.map { .progress($0) } + completions.map { .ended($0) }
    return bodies.map {
      writer.message(JobEvent(position: position, at: 1_763_696_991_876, body: $0), items: items)
    } + [
      writer.readyAck(at: 1), writer.pong(at: 1), writer.alive(progresses[2], at: 1),
      writer.reconnected(progresses[0], at: 1),
    ]
  }

  @Test(
    "The types of every generation read every message, if no version is named.",
    arguments: pipelines
  )
  func merged(_ pipeline: PipelineName) {
    for generation in BooksTrackGeneration.allCases {
      for message in all(pipeline, nil) {
        #expect(generation.message.faults(in: message).isEmpty, "\(generation) \(message)")
      }
    }
  }

  @Test(
    "The types of a generation read the messages of the version that it names.",
    arguments: pipelines
  )
  func named(_ pipeline: PipelineName) {
    for (version, generations) in [
      (WireVersion.v1, [BooksTrackGeneration.full]), (.v2, [.summary, .hotfix]),
      (.v2WithExpiry, [.summary, .hotfix]),
    ] {
      for message in all(pipeline, version) {
        for generation in generations {
          #expect(generation.message.faults(in: message).isEmpty, "\(generation) \(message)")
        }
        if message["type"] == .string("job_complete") {
          #expect((message["payload"]?["summary"] == nil) == (version == .v1))
          #expect((message["payload"]?["expiresAt"] == nil) == (version == .v1))
        }
      }
    }
  }

  @Test(
    "The first generation takes a completion for the kind that it is, of the types that it tries.",
    arguments: pipelines
  )
  func trials(_ pipeline: PipelineName) {
    let completions = all(pipeline, nil).filter { $0["type"] == .string("job_complete") }
    #expect(completions.count >= 2)
    for message in completions {
      let taken = BooksTrackGeneration.trials.first {
        BooksTrackGeneration.full.completion(of: $0)
          .faults(in: message["payload"] ?? .null).isEmpty
      }
      #expect(taken == pipeline.rawValue)
    }
  }

  @Test(
    "The part of the app that looks in data finds progress, result and failure there.",
    arguments: pipelines
  )
  func older(_ pipeline: PipelineName) {
    for message in all(pipeline, nil) {
      switch message["type"]?.string {
      case "job_progress", "job_complete", "job_started", "error":
        #expect(BooksTrackGeneration.older.faults(in: message).isEmpty, "\(message)")
      default: break
      }
      let status = message["data"]?["currentStatus"]?.string?.lowercased() ?? ""
      let isFailure = status.contains("fail") || status.contains("error")
      #expect(isFailure == (message["type"] == .string("error")), "\(status)")
      if pipeline == .aiScan, message["type"] == .string("job_complete") {
        #expect(message["data"]?["result"]?["totalDetected"] == .whole(6))
      }
    }
  }

  @Test(
    "Our own reader reads them all, and a completion has the same numbers.",
    arguments: pipelines
  )
  func ours(_ pipeline: PipelineName) {
    let reader = JobMessageReader()
    for message in all(pipeline, nil) {
      let read = reader.message(message.bytes)
      #expect(read.body != .unknown && read.body != .unreadable, "\(message)")
      guard case .ended(let completion) = read.body, completion.ending.known == .succeeded,
        (completion.total ?? 0) > 0
      else { continue }
      let failed = items(pipeline).count { $0.outcome == .failed }
      #expect(completion.failures == failed)
    }
  }

  @Test("The events of a stream have the names and the data that the app knows.")
  func stream() {
    let position = EventPosition(epoch: 1, seq: 2)
    let failure = JobWireError(code: "c", message: "line\nline", isRetryable: nil)
    for (name, body) in [
      ("initialized", JobEvent.Body.started(phases: [], total: nil)),
      ("processing", .progress(JobProgress(fraction: 0.25, processed: 1, total: 4))),
      ("completed", .ended(JobCompletion(ending: .succeeded))),
      ("completed", .ended(JobCompletion(ending: .canceled, total: 3))),
      ("failed", .ended(JobCompletion(ending: .failed, failure: failure))),
      ("failed", .ended(JobCompletion(ending: .failed))),
    ] {
      let event = JobEvent(position: position, at: 1_763_783_391_876, body: body)
      let text = BooksTrackStream.text(.event(event, covers: 2), "j")
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count == 5)
      #expect(lines[0] == "event: \(name)")
      #expect(lines[1] == "id: 1.2")
      #expect(lines[2].hasPrefix("data: "))
      let value = try? JSONReader.value(of: Array(lines[2].dropFirst(6).utf8), rules: .lenient)
      #expect(BooksTrackShapes.streamed[name]?.faults(in: value ?? .null) == [])
    }
    #expect(BooksTrackStream.text(.alive(JobProgress(fraction: 0)), "j").hasPrefix(":"))
  }

  @Test("A canceled job is told as far as it came, and a completed one as complete.")
  func canceled() {
    let position = EventPosition(epoch: 1, seq: 9)
    let end = JobProgress(fraction: 0.25, processed: 100, total: 400, sentence: "canceled")
    for (ending, told) in [(JobEnding.canceled, [0.25, 100, 400]), (.succeeded, [1, 95, 95])] {
      let event = JobEvent(
        position: position,
        at: 1,
        body: .ended(JobCompletion(ending: ending, total: 95))
      )
      let data = messages(.csvImport, nil).message(event, items: [], progress: end)["data"]
      let names = ["progress", "processedItems", "totalItems"]
      #expect(names.map { data?[$0]?.double } == told)
      let text = BooksTrackStream.text(.event(event, covers: 2), "j", end)
      let line = text.split(separator: "\n").first { $0.hasPrefix("data: ") } ?? ""
      let streamed = try? JSONReader.value(of: Array(line.dropFirst(6).utf8), rules: .lenient)
      let others = ["progress", "processedCount", "totalCount"]
      #expect(others.map { streamed?[$0]?.double } == told)
    }
  }

  @Test("Results decode with the types of the parts that fetch them.")
  func results() {
    func results(_ pipeline: PipelineName, _ areSentences: Bool = false) -> JSONValue {
      .object(
        BooksTrackResults(pipeline: pipeline, items: items(pipeline), completion: nil)
          .members(at: 1, areSentences: areSentences)
      )
    }
    for (shape, value) in [
      (BooksTrackShapes.tableResults, results(.csvImport)),
      (BooksTrackShapes.importResults, results(.csvImport)),
      (BooksTrackShapes.importSentences, results(.csvImport, true)),
      (BooksTrackShapes.enrichmentResults, results(.batchEnrichment)),
      (BooksTrackShapes.importResults, results(.batchEnrichment)),
      (BooksTrackShapes.scanResults, results(.aiScan)),
    ] {
      #expect(shape.faults(in: value).isEmpty, "\(shape.faults(in: value))")
    }
    let table = results(.csvImport)
    #expect(table["books"]?.list?.count == 9)
    #expect(table["errors"]?.list?.count == 3)
    #expect(table["successRate"] == .string("9/12"))
    #expect(table["booksCreated"] == .whole(3))
    let books = results(.batchEnrichment)["enrichedBooks"]?.list ?? []
    #expect(books.map { $0["success"] } == [.bool(true)] + Array(repeating: .bool(false), count: 5))
    #expect(books.first?["enriched"]?["edition"]?["format"] == .string("Mass Market"))
    #expect(books.first?["enriched"]?["work"]?["primaryProvider"] == .string("openlibrary"))
    #expect(books.first?["enriched"]?["authors"]?.list?.count == 2)
    let box = results(.aiScan)["books"]?.list?.first?["boundingBox"]
    #expect(box?["x1"]?.double == 0.1)
    #expect((box?["x2"]?.double).map { abs($0 - 0.15) < 1e-9 } == true)
    #expect(results(.aiScan)["books"]?.list?.last?["boundingBox"]?["x2"] == .whole(1))
  }

  @Test(
    "What the original sends is read: three shapes of results, names of the first progress, a start without an id."
  )
  func original() throws {
    let reader = JobAnswerReader()
    func page(_ body: String) throws -> JobResultPage {
      guard case .page(let page) = reader.results(status: 200, body: Array(body.utf8)) else {
        throw Absent()
      }
      return page
    }
    let enriched = try page(
      #"{"success":true,"data":{"enrichedBooks":[{"title":"A","author":"B","success":true,"enriched":{"work":{}}},{"title":"C","success":false,"error":"Book not found in any provider"},7]}}"#
    )
    #expect(enriched.items.elements.map(\.outcome) == [.known(.enriched), .known(.failed)])
    #expect(enriched.items.elements.map { $0.book?.title } == ["A", "C"])
    #expect(enriched.items.elements[0].book?.authors == ["B"])
    #expect(enriched.items.elements[1].problems.first?.message == "Book not found in any provider")
    #expect(enriched.items.elements.map(\.number) == [0, 1])
    #expect(enriched.items.dropped == 1)
    #expect(enriched.issues.contains { $0.kind == .droppedElement && $0.severity == .loss })
    let table = try page(
      #"{"data":{"books":[{"title":"A","author":"B","isbn":"1"},{"title":"C","author":"D"}],"errors":[{"row":3,"isbn":"2","error":"bad"},"row 4: worse"],"successRate":"2/4"}}"#
    )
    #expect(table.total == 4)
    #expect(
      table.items.elements.map(\.outcome) == [
        .known(.imported), .known(.imported), .known(.failed), .known(.failed),
      ]
    )
    #expect(table.items.elements.map { $0.book?.isbns } == [["1"], [], ["2"], nil])
    #expect(
      table.items.elements.compactMap { $0.problems.first?.message } == ["bad", "row 4: worse"]
    )
    #expect(table.items.elements[2].line == 3)
    let flat = try page(
      #"{"totalDetected":2,"books":[{"title":"A","confidence":0.9},{"title":"B","confidence":0.3}]}"#
    )
    #expect(flat.items.elements.map(\.outcome) == [.known(.approved), .known(.needsReview)])
    let nested = try page(
      #"{"data":{"jobId":"j","results":{"books":[{"title":"A"}],"errors":[]}}}"#
    )
    #expect(nested.items.elements.count == 1)
    #expect(try page(#"{"data":{"other":1}}"#).issues.contains { $0.severity == .loss })

    let body = Array(#"{"success":true,"processedCount":0,"totalCount":3,"token":"t"}"#.utf8)
    #expect(reader.start(status: 202, body: body, chosen: "mine").started?.job == "mine")
    #expect(
      reader.start(status: 202, body: body).refusal?.error.message.contains("which job") == true
    )

    let progress = JobMessageReader().message(
      Array(
        #"{"type":"progress","jobId":"j","timestamp":1,"data":{"progress":0.5,"processedItems":5,"totalItems":10,"currentStatus":"Halfway"}}"#
          .utf8
      )
    )
    guard case .progress(let read) = progress.body else { throw Absent() }
    #expect([read.processed, read.total] == [5, 10])
    #expect(read.sentence == "Halfway")

    for (word, state) in [
      ("PENDING", JobState.queued), ("PROCESSING", .running), ("COMPLETED", .succeeded),
      ("CANCELLED", .canceled), ("complete", .succeeded), ("failed", .failed),
    ] {
      let text =
        #"{"success":true,"data":{"jobId":"j","status":"\#(word)","progress":0.5,"processedCount":2}}"#
      #expect(reader.state(body: Array(text.utf8))?.state == .known(state))
      #expect(reader.state(body: Array(text.utf8))?.progress.processed == 2)
    }
    #expect(reader.state(body: Array(#"{"status":"a sentence"}"#.utf8)) == nil)
  }

  private struct Absent: Error {}
}
