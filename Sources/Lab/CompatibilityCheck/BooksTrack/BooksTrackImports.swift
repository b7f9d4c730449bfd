import ConditionalHTTP
import HTTPTypes
import StrictJSON

/// The parts of the app that import a table.
struct BooksTrackImports: Sendable {
  let rows: Int

  /// The first app: takes 200 only, and an id without a token.
  func playFirst(_ run: ClientRun) async {
    let boundary = BooksTrackContent.id
    await run.step(
      "import, first app",
      post("/api/import/csv-gemini", boundary),
      expects: "200 and an id"
    ) {
      check,
      answer in
      if check.status(200, of: answer) { check.shape(BooksTrackShapes.firstStart, of: answer) }
    }
  }

  /// The app of the generation whose completions contain everything; its token is in the query.
  func playTable(_ run: ClientRun) async {
    let who = "import v1"
    let boundary = BooksTrackContent.id
    let answer = await run.step(
      who,
      post("/api/import/csv-gemini", boundary),
      expects: "200 or 202, an id and a token"
    ) { check, answer in
      guard check.status(200, 202, of: answer) else { return }
      check.shape(BooksTrackShapes.olderEnvelope(BooksTrackShapes.start), of: answer)
    }
    guard let (id, token) = BooksTrackTicket.read(answer) else { return }
    let client = BooksTrackSocketClient(
      query: [("jobId", id), ("token", token)],
      pipeline: "csv_import",
      generation: .full,
      ready: #"{"timestamp":1732713000123.4,"type":"ready"}"#
    )
    await run.step(
      who,
      "WebSocket /ws/progress?jobId=…&token=…",
      expects: "the books in a completion"
    ) {
      check in
      guard case .completed(let payload) = try await client.follow(run, check) else {
        return check.fault("the import failed")
      }
      check.expect(
        payload["books"]?.list?.count == rows,
        "\(payload["books"]?.list?.count ?? 0) of \(rows) books"
      )
    }
    let status = ClientRequest(.get, "/v1/csv/status/\(id)")
    await run.step(who, status, expects: "200 and a status") { check, answer in
      guard check.status(200, of: answer) else { return }
      check.shape(BooksTrackShapes.envelope(BooksTrackShapes.tableStatus), of: answer)
    }
    let results = ClientRequest(.get, "/v1/csv/results/\(id)")
    await run.step(who, results, expects: "200, books and failed rows") { check, answer in
      guard check.status(200, of: answer) else { return }
      check.shape(BooksTrackShapes.envelope(BooksTrackShapes.tableResults), of: answer)
    }
    let cancel = ClientRequest(.post, "/v1/csv/cancel/\(id)", content: [])
    await run.step(who, cancel, expects: "200, 202 or 404") { check, answer in
      check.status(200, 202, 404, of: answer)
    }
  }

  /// The newest app: polls, at least two seconds between two questions, and fetches the results in two forms.
  func playNewest(_ run: ClientRun) async {
    let who = "import v2"
    let boundary = "Boundary-\(BooksTrackContent.id)"
    let answer = await run.step(
      who,
      post("/api/v2/imports", boundary, names: true),
      expects: "200 or 202, an id and a token"
    ) { check, answer in
      guard check.status(200, 202, of: answer) else { return }
      check.shape(BooksTrackShapes.envelope(BooksTrackShapes.newestStart), of: answer)
    }
    guard let (id, _) = BooksTrackTicket.read(answer) else { return }
    let path = "/api/v2/imports/\(id)"
    await run.step(who, "GET \(path)/stream", expects: "events up to completed") { check in
      try await stream(run, path + "/stream", check)
    }
    await run.step(who, "GET \(path), until it is over", expects: "200 and a status of five") {
      check in
      for _ in 0..<40 {
        let answer = try await run.send(
          ClientRequest(.get, path, fields: BooksTrackContent.fields(), timeout: .seconds(10))
        )
        guard check.status(200, of: answer) else { return }
        let value = check.shape(
          BooksTrackShapes.envelope(BooksTrackShapes.importStatus),
          of: answer
        )
        guard check.faults.isEmpty else { return }
        switch value?["data"]?["status"]?.string {
        case "COMPLETED": return
        case "FAILED", "CANCELLED": return check.fault("the import failed")
        default: try await run.wait(.seconds(2))
        }
      }
      check.fault("not over after 40 questions")
    }
    let results = ClientRequest(.get, path + "/results")
    await run.step(who, results, expects: "200, counts and failed rows") { check, answer in
      guard check.status(200, of: answer) else { return }
      let value = check.shape(BooksTrackShapes.envelope(BooksTrackShapes.importResults), of: answer)
      check.expect(value?["data"]?["errors"]?.list?.count == 1, "the failed row is missing")
    }
    let named = ClientRequest(.get, path + "/results", fields: BooksTrackContent.fields())
    await run.step(
      who,
      "GET \(path)/results, with X-API-Contract-Version",
      expects: "200, failed rows as sentences"
    ) { check in
      let answer = try await run.send(named)
      guard check.status(200, of: answer) else { return }
      check.shape(BooksTrackShapes.envelope(BooksTrackShapes.importSentences), of: answer)
    }
  }

  /// Follows an import over server-sent events, and reads them as the app does: parts between empty lines, and lines by
  /// what they begin with.
  private func stream(_ run: ClientRun, _ path: String, _ check: StepCheck) async throws {
    var fields: HTTPFields = [.accept: "text/event-stream", .cacheControl: "no-cache"]
    fields[.acceptEncoding] = nil
    let events = StreamedEvents()
    try await run.stream(ClientRequest(.get, path, fields: fields, timeout: .seconds(70))) { part in
      switch part {
      case .head(let head): await events.handle(head)
      case .content(let bytes): await events.handle(bytes)
      }
    }
    let (status, taken) = await (events.status, events.taken)
    guard check.expect(status == 200, "status: expected 200, found \(status)") else { return }
    for event in taken {
      guard let shape = BooksTrackShapes.streamed[event.name] else { continue }
      guard
        let value = ClientAnswer(head: .init(status: .ok), body: Array(event.data.utf8)).value
      else { return check.fault("the data of \(event.name) are not valid JSON") }
      check.shape(shape, of: value)
    }
    check.expect(
      taken.last?.name == "completed",
      "the last event is \(taken.last?.name ?? "nothing")"
    )
  }

  private func post(_ path: String, _ boundary: String, names: Bool = false) -> ClientRequest {
    let type = "multipart/form-data; boundary=\(boundary)"
    return ClientRequest(
      .post,
      path,
      fields: names ? BooksTrackContent.fields(type: type) : [.contentType: type],
      content: BooksTrackContent.form(rows: rows, boundary: boundary),
      timeout: .seconds(120)
    )
  }
}

/// The events of a stream, as the app's parser finds them.
private actor StreamedEvents {
  private(set) var status = 0
  private(set) var taken: [(name: String, data: String)] = []
  private var rest = ""

  func handle(_ head: HTTPResponse) -> HTTPStreamDemand {
    status = head.status.code
    return status == 200 ? .more : .enough
  }

  func handle(_ bytes: [UInt8]) -> HTTPStreamDemand {
    rest += String(decoding: bytes, as: UTF8.self)
    while let end = rest.firstRange(of: "\n\n") {
      var name = ""
      var data = ""
      for line in rest[..<end.lowerBound].split(separator: "\n") {
        if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
        if line.hasPrefix("data: ") { data += line.dropFirst(6) }
      }
      rest = String(rest[end.upperBound...])
      if !name.isEmpty, !data.isEmpty { taken.append((name, data)) }
    }
    return ["completed", "failed", "error"].contains(taken.last?.name) ? .enough : .more
  }
}

/// What a start gives: the id of a job and its token.
enum BooksTrackTicket {
  static func read(_ answer: ClientAnswer?) -> (id: String, token: String)? {
    guard let value = answer?.value else { return nil }
    let data = value["data"] ?? value
    guard let id = data["jobId"]?.string ?? value["jobId"]?.string,
      let token = (data["authToken"] ?? data["token"])?.string
    else { return nil }
    return (id, token)
  }
}
