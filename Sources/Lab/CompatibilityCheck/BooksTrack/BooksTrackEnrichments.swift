import ConditionalHTTP
import HTTPTypes
import StrictJSON

/// The parts of the app that complete books.
struct BooksTrackEnrichments: Sendable {
  /// The answers at which the app asks again at its older address.
  private static let fallbacks = [404, 405, 426, 501]
  private static let tokenField = HTTPField.Name("X-Auth-Token")

  /// An enrichment as one generation of the app decodes it; the app chooses the id.
  func play(_ run: ClientRun, _ generation: BooksTrackGeneration) async {
    let who = "enrichment \(generation.rawValue)"
    guard let (id, token) = await start(run, who, count: 7) else { return }
    var client = BooksTrackSocketClient(
      query: [("jobId", id), ("token", token)],
      pipeline: "batch_enrichment",
      generation: generation
    )
    // A slow app: everything was over long ago when it says that it listens.
    if generation == .hotfix { client.pause = .seconds(4) }
    if generation == .summary {
      // The token may be in a subprotocol instead.
      client.query = [("jobId", id)]
      client.fields[.secWebSocketProtocol] = "bookstrack-auth.\(token)"
    }
    await run.step(who, "WebSocket /ws/progress?jobId=…, ping, ready", expects: "a completion") {
      [client] check in
      guard case .completed(let payload) = try await client.follow(run, check) else {
        return check.fault("the enrichment failed")
      }
      if generation == .full {
        check.expect(payload["enrichedBooks"]?.list?.count == 7, "not all of the 7 books")
      } else {
        check.expect(
          payload["summary"]?["totalProcessed"]?.int64 == 7,
          "the summary does not have the 7 books"
        )
      }
    }
    await results(run, who, id)
  }

  /// The part of the app that sends no token and never says `ready`: the id is all that it has.
  func playWithoutToken(_ run: ClientRun) async {
    let who = "enrichment without token"
    guard let (id, _) = await start(run, who, count: 3) else { return }
    let client = BooksTrackSocketClient(
      query: [("jobId", id)],
      pipeline: "batch_enrichment",
      generation: .summary,
      ready: nil
    )
    await run.step(
      who,
      "WebSocket /ws/progress?jobId=…, without token and ready",
      expects: "a completion"
    ) {
      check in
      guard case .completed = try await client.follow(run, check) else {
        return check.fault("the enrichment failed")
      }
    }
    await results(run, who, id)
    let cancel = ClientRequest(
      .post,
      "/api/enrichment/cancel",
      fields: [.contentType: "application/json"],
      content: JSONValue.object(["jobId": .string(id)]).bytes
    )
    await run.step(who, cancel, expects: "200") { check, answer in check.status(200, of: answer) }
  }

  /// The parts of the app that stop a job, over or not.
  func playCancel(_ run: ClientRun) async {
    let who = "cancel"
    guard let (id, token) = await start(run, who, count: 100) else { return }
    var fields = BooksTrackContent.fields(token: token)
    for asks in ["Authorization", "X-Auth-Token"] {
      if asks == "X-Auth-Token", let name = Self.tokenField {
        fields[.authorization] = nil
        fields[name] = token
      }
      let request = ClientRequest(.delete, "/v1/jobs/\(id)", fields: fields, timeout: .seconds(15))
      await run.step(who, "DELETE /v1/jobs/\(id), \(asks)", expects: "200 and what was cleaned") {
        check in
        let answer = try await run.send(request)
        guard check.status(200, of: answer) else { return }
        check.shape(BooksTrackShapes.envelope(BooksTrackShapes.cancellation), of: answer)
      }
    }
  }

  /// An app that is suspended while it follows a job and returns: it says so, receives the state of the job, and then its
  /// end.
  func playReconnect(_ run: ClientRun) async {
    let who = "reconnect"
    guard let (id, token) = await start(run, who, count: 100) else { return }
    var client = BooksTrackSocketClient(
      query: [("jobId", id), ("token", token)],
      pipeline: "batch_enrichment",
      generation: .full
    )
    await run.step(
      who,
      "WebSocket /ws/progress?jobId=…&token=…, left early",
      expects: "a message of the job"
    ) { [client] check in try await client.leaveEarly(run, check) }
    client.returns = true
    await run.step(
      who,
      "WebSocket /ws/progress?jobId=…&token=…&reconnect=true",
      expects: "the state of the job, and a completion"
    ) { [client] check in
      guard case .completed(let payload) = try await client.follow(run, check) else {
        return check.fault("the enrichment failed")
      }
      let count = payload["enrichedBooks"]?.list?.count ?? 0
      check.expect(count == 100, "\(count) of the 100 books")
    }
  }

  /// A returning app: asks for the state of the job, renews its token, and asks with the new one.
  func playReturn(_ run: ClientRun) async {
    let who = "return"
    guard let (id, token) = await start(run, who, count: 2) else { return }
    await state(run, who, id, token)
    let refresh = ClientRequest(
      .post,
      "/api/token/refresh",
      fields: [.contentType: "application/json"],
      content: JSONValue.object(["jobId": .string(id), "oldToken": .string(token)]).bytes
    )
    let answer = await run.step(who, refresh, expects: "200 and a new token") { check, answer in
      guard check.status(200, of: answer) else { return }
      check.shape(BooksTrackShapes.refresh, of: answer)
    }
    guard let fresh = BooksTrackTicket.read(answer)?.token else { return }
    await state(run, who, id, fresh)
    // The same start again, as after an answer that was lost: the same job.
    await run.step(who, "POST /v1/enrichment/batch, again", expects: "202 and the same job") {
      check in
      let again = try await run.send(request("/v1/enrichment/batch", id, count: 2))
      guard check.status(202, of: again) else { return }
      check.shape(BooksTrackShapes.envelope(BooksTrackShapes.enrichmentStart), of: again)
    }
    await run.step(who, "GET /v1/jobs/{unknown}/results", expects: "404 that says so") { check in
      let answer = try await run.send(
        ClientRequest(
          .get,
          "/v1/csv/results/\(BooksTrackContent.id)",
          fields: BooksTrackContent.fields(token: fresh)
        )
      )
      guard check.status(404, of: answer) else { return }
      check.shape(BooksTrackShapes.failure, of: answer)
    }
  }

  // MARK: Steps of several parts

  private func request(_ path: String, _ id: String, count: Int) -> ClientRequest {
    var fields = BooksTrackContent.fields()
    // This part names its version only.
    HTTPField.Name("X-API-Contract-Version").map { fields[$0] = nil }
    return ClientRequest(
      .post,
      path,
      fields: fields,
      content: BooksTrackContent.books(id, count: count),
      timeout: .seconds(30)
    )
  }

  /// Starts an enrichment, at the older address if the newer one does not exist.
  private func start(
    _ run: ClientRun,
    _ who: String,
    count: Int
  ) async -> (id: String, token: String)? {
    let id = BooksTrackContent.id
    let answer = await run.step(
      who,
      "POST /v1/enrichment/batch, \(count) books",
      expects: "202, how many books, and a token"
    ) { check in
      var answer = try await run.send(request("/v1/enrichment/batch", id, count: count))
      if Self.fallbacks.contains(answer.status) {
        answer = try await run.send(request("/api/enrichment/batch", id, count: count))
      }
      guard check.status(202, of: answer) else { return answer }
      let value = check.shape(
        BooksTrackShapes.envelope(BooksTrackShapes.enrichmentStart),
        of: answer
      )
      check.expect(
        value?["data"]?["totalCount"]?.int64 == Int64(count),
        "totalCount is not \(count)"
      )
      return answer
    }
    // The app knows its id itself.
    guard let answer, let value = answer.value,
      let token = ((value["data"] ?? value)["token"])?.string
    else { return nil }
    return (id, token)
  }

  private func state(_ run: ClientRun, _ who: String, _ id: String, _ token: String) async {
    let request = ClientRequest(
      .get,
      "/api/job-state/\(id)",
      fields: [.authorization: "Bearer \(token)"],
      timeout: .seconds(10)
    )
    await run.step(who, request, expects: "200 and a state") { check, answer in
      guard check.status(200, of: answer) else { return }
      check.shape(BooksTrackShapes.jobState, of: answer)
    }
  }

  /// The results, which the app asks for without a token.
  private func results(_ run: ClientRun, _ who: String, _ id: String) async {
    for path in ["/v1/jobs/\(id)/results", "/api/v2/imports/\(id)/results"] {
      let request = ClientRequest(.get, path)
      await run.step(who, request, expects: "200 and the books") { check, answer in
        guard check.status(200, of: answer) else { return }
        check.shape(BooksTrackShapes.envelope(BooksTrackShapes.enrichmentResults), of: answer)
      }
    }
  }
}
