import ConditionalHTTP
import HTTPTypes
import Stationboard
import StrictJSON
import TolerantDecoding

/// The web page: a search, a board that is polled, the details of trips, stops nearby, and what it makes of errors.
///
/// It runs under another origin, so every answer must be open to it (Fetch standard, CORS protocol). It sends no fields of
/// its own, and so asks for no preflight.
struct MesDepartsPage {
  let script: MesDepartsScript
  let run: ClientRun

  let client = "web"
  private static let language = "fr"

  /// The open board, as the page has it.
  private struct ShownBoard {
    var stop: String
    var name: String
    /// The instant that the page sends back as `since_rt`.
    var token: String?
    var departures: [JSONValue]
    /// Whether the board came within two seconds of its publication, so that time has hardly changed it in between.
    var isYoung = false
    /// Whether its realtime is fresh.
    var isFresh = false

    /// Whether a newer answer is this very board again, which is what a 204 is for.
    func isRepeated(by next: ShownBoard) -> Bool {
      isYoung && next.isFresh && next.token == token && next.departures == departures
    }
  }

  func play() async {
    guard var shown = await open() else { return }
    await poll(&shown)
    await details(shown)
    await errors(shown)
    await nearby(shown)
    await sameStop()
  }

  /// A request as the browser sends it for the page.
  func request(
    _ path: String,
    _ query: [(String, String?)],
    timeout: Duration = .seconds(12)
  ) -> ClientRequest {
    var fields: HTTPFields = [
      .accept: "*/*", .acceptLanguage: "fr-CH,fr;q=0.9", .origin: script.origin,
    ]
    if let mode = HTTPField.Name("sec-fetch-mode") { fields[mode] = "cors" }
    return ClientRequest(.get, path, query: query, fields: fields, timeout: timeout)
  }

  /// Adds a fault unless the page's script may read the answer.
  func open(_ answer: ClientAnswer, _ check: StepCheck) {
    check.field("access-control-allow-origin", of: answer, is: "* or \(script.origin)") {
      $0 == "*" || $0 == script.origin
    }
  }

  // MARK: Search and board

  /// Returns the stops that a search found; `nil` if its response is not as the page expects it.
  private func stops(_ answer: ClientAnswer, _ check: StepCheck) -> [JSONValue]? {
    open(answer, check)
    guard check.status(200, of: answer),
      let value = check.shape(MesDepartsShapes.webStops, of: answer, as: .javaScript)
    else { return nil }
    return value["stops"]?.list ?? []
  }

  private func open() async -> ShownBoard? {
    let typed = request(
      "/api/stops/search",
      [("q", script.query), ("limit", "20")],
      timeout: .seconds(6)
    )
    var name: String?
    await run.step(client, typed, expects: "200, and stops with an id and a name") {
      check,
      answer in
      guard let stops = stops(answer, check) else { return }
      name = stops.first?["stop_name"]?.string
      check.expect(name != nil, "stops: expected some for \"\(script.query)\", found none")
    }
    guard let name else { return nil }
    let resolve = request("/api/stops/search", [("q", name), ("limit", "7")])
    var stop: String?
    await run.step(client, resolve, expects: "200, and the stop that the name means") {
      check,
      answer in
      guard let stops = stops(answer, check) else { return }
      let best = stops.first { $0["stop_name"]?.string?.lowercased() == name.lowercased() }
      stop = (best ?? stops.first)?["stop_id"]?.string
      check.expect(stop != nil, "stops: expected \"\(name)\", found none")
    }
    guard let stop = script.stop ?? stop else { return nil }
    var shown: ShownBoard?
    let board = boardRequest(stop, token: nil)
    let answer = await run.step(client, board, expects: "200, and a board") { check, answer in
      open(answer, check)
      guard check.status(200, of: answer) else { return }
      shown = handle(answer, check, stop)
    }
    if let answer, answer.status == 200 { await schema(board, answer) }
    return shown
  }

  /// Compares a board with the server's own schema, and with what its probes count.
  private func schema(_ request: ClientRequest, _ answer: ClientAnswer) async {
    await run.step("schema", "\(request)", expects: "a board by the published schema") { check in
      check.shape(MesDepartsShapes.schemaBoard, of: answer)
    }
    await run.step("probes", "\(request)", expects: "rows that say where they come from") { check in
      let rows = try answer.json()["departures"]?.list ?? []
      check.shape(.list(MesDepartsShapes.probedDeparture), of: .list(rows))
    }
    await run.step(
      "freshet",
      "\(request)",
      expects: "a board of which our own reader loses nothing"
    ) {
      check in
      let decoded = try BoardReader().board(answer.body)
      for issue in decoded.issues where issue.severity == .loss { check.fault(issue.description) }
    }
  }

  func boardRequest(_ stop: String, token: String?) -> ClientRequest {
    var query: [(String, String?)] = [("stop_id", stop), ("limit", "60"), ("lang", Self.language)]
    if let token { query += [("since_rt", token), ("if_board", "1")] }
    return request("/api/stationboard", query)
  }

  /// Takes a board over as the page does.
  private func handle(_ answer: ClientAnswer, _ check: StepCheck, _ stop: String) -> ShownBoard? {
    guard let value = check.shape(MesDepartsShapes.webBoard, of: answer, as: .javaScript) else {
      return nil
    }
    let rt = value["rt"]
    let tokens = ["cacheFetchedAt", "fetchedAt"].compactMap { rt?[$0]?.string }
    let token = tokens.first { !$0.isEmpty }
    let made = token.flatMap { InstantText.read($0) }
    let now = value["meta"]?["serverTime"]?.string.flatMap { InstantText.read($0) }
    return ShownBoard(
      stop: stop,
      name: value["station"]?["name"]?.string ?? script.query,
      token: token,
      departures: value["departures"]?.list ?? [],
      isYoung: made.flatMap { made in now.map { $0 - made <= 2 } } ?? false,
      isFresh: rt?["reason"]?.string == "fresh"
    )
  }

  // MARK: Polls

  /// What the polls of the page were answered with.
  private struct Polls {
    var unchanged = 0
    var boards = 0
    /// Boards of another publication than the one before.
    var newer = 0
    /// The publications of boards that the page had already.
    var repeated: Set<String> = []
  }

  private func poll(_ shown: inout ShownBoard) async {
    var polls = Polls()
    for _ in 0..<script.polls {
      guard (try? await run.wait(script.every)) != nil else { return }
      await poll(&shown, &polls)
    }
    guard script.polls > 0 else { return }
    let missing = script.polls - polls.unchanged - polls.boards
    var text = "\(script.polls) polls: \(polls.unchanged) × 204, \(polls.boards) × 200"
    if polls.newer > 0 { text += ", \(polls.newer) of them newer" }
    // Where each poll finds a newer publication, only a page that asks again just after one can be answered 204.
    var again = polls
    for _ in 0..<Self.tries
    where again.unchanged == 0 && again.repeated.count < Self.repeats && shown.token != nil {
      if !shown.isYoung, (try? await run.wait(.seconds(1))) == nil { return }
      await poll(&shown, &again)
    }
    await run.step(client, text, expects: "an answer to each, and 204 for a board that it has") {
      check in
      check.expect(missing == 0, "\(missing) without one")
      check.expect(
        again.unchanged > 0 || again.repeated.count < Self.repeats,
        "no 204, but 200 with the board that the page has, of \(again.repeated.count) publications"
      )
    }
  }

  /// How often a page that got no 204 asks once more.
  private static let tries = 40
  /// How many publications whose board comes again are too many: time, or an alert, may change the board of one in the
  /// moment before the page asks for it, and the token does not show that the page has the change.
  private static let repeats = 2

  private func poll(_ shown: inout ShownBoard, _ polls: inout Polls) async {
    let asked = boardRequest(shown.stop, token: shown.token)
    let before = shown
    var after = shown
    var counts = polls
    await run.step(client, asked, expects: "a board, or 204 if the page has it") { check, answer in
      open(answer, check)
      guard check.status(200, 204, of: answer) else { return }
      if answer.status == 204 {
        counts.unchanged += 1
        check.expect(before.token != nil, "204: the page has no token, and no board")
        check.expect(answer.body.isEmpty, "204: expected no content")
        if let token = nextToken(answer, check) { after.token = token }
      } else {
        counts.boards += 1
        guard let taken = handle(answer, check, before.stop) else { return }
        if taken.token != before.token { counts.newer += 1 }
        if let token = taken.token, before.isRepeated(by: taken) { counts.repeated.insert(token) }
        after = taken
      }
    }
    (shown, polls) = (after, counts)
  }

  /// The token that the page takes from a 204, if its script may read the field.
  private func nextToken(_ answer: ClientAnswer, _ check: StepCheck) -> String? {
    let name = "x-md-rt-fetched-at"
    let exposed = answer[field: "access-control-expose-headers"]?.lowercased() ?? ""
    let names = exposed.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    let isOpen = check.expect(
      names.contains(name) || names == ["*"],
      "access-control-expose-headers: expected \(name), found \"\(exposed.prefix(200))\""
    )
    check.field(name, of: answer, is: "the instant of the data, for the next since_rt") {
      InstantText.read($0) != nil
    }
    return isOpen ? answer[field: name].flatMap { $0.isEmpty ? nil : $0 } : nil
  }

  // MARK: Details of trips

  private func details(_ shown: ShownBoard) async {
    var lines: Set<String> = []
    var rows: [MesDepartsRow] = []
    for departure in shown.departures {
      guard rows.count < script.trips, let row = MesDepartsRow(departure) else { continue }
      // Rows of different lines say more than the next ones of the same.
      if lines.insert(row.line).inserted { rows.append(row) }
    }
    for row in rows { await details(of: row, shown) }
    guard let row = rows.first else {
      // A run that opens no trip says nothing of trips.
      guard script.trips > 0 else { return }
      await run.step(client, "a click on a row", expects: "a departure to click on") { check in
        check.fault("the board of \(shown.stop) has none; choose a stop: --with stop=ID")
      }
      return
    }
    let journey = request("/api/journey", [("id", row.tripId), ("passlist", "1")])
    await run.step(client, journey, expects: "200, and the stops of the trip") { check, answer in
      open(answer, check)
      guard check.status(200, of: answer),
        let value = check.shape(MesDepartsShapes.webJourneyAnswer, of: answer, as: .javaScript)
      else { return }
      let calls = value["journey"]?["passList"]?.list ?? []
      check.expect(calls.count >= 2, "journey.passList: expected two stops or more")
      MesDepartsTimes.check(calls, check)
    }
  }

  /// A click on a row: by the id of the stop, and by its name if that gives nothing.
  private func details(of row: MesDepartsRow, _ shown: ShownBoard) async {
    func asked(_ from: String) -> ClientRequest {
      let (date, time) = ZurichTime.text(row.scheduled)
      return request(
        "/api/connections",
        [("from", from), ("to", row.destination), ("date", date), ("time", time), ("limit", "6")]
      )
    }
    var isEmpty = false
    func judge(_ check: StepCheck, _ answer: ClientAnswer, isLast: Bool) {
      open(answer, check)
      isEmpty = false
      guard check.status(200, of: answer),
        let value = check.shape(MesDepartsShapes.webConnections, of: answer, as: .javaScript)
      else { return }
      let connections = value["connections"]?.list ?? []
      isEmpty = connections.isEmpty
      if isEmpty, !isLast { return }
      guard let section = row.section(of: connections, from: shown.stop, name: shown.name) else {
        return check.fault(
          "connections: none is the trip of the row \"\(row.line) \(row.destination)\""
        )
      }
      let leaves = section["departure"]?["departureTimestamp"]?.int64
      check.expect(
        leaves == row.scheduled,
        "departureTimestamp: expected \(row.scheduled) as the row has it, found \(leaves ?? 0)"
      )
      let calls = section["journey"]?["passList"]?.list ?? []
      check.expect(calls.count >= 2, "passList: expected two stops or more, found \(calls.count)")
      check.expect(
        MesDepartsRow.contains(calls, shown.stop, shown.name),
        "passList: expected \(shown.stop) or \"\(shown.name)\" among the stops"
      )
      MesDepartsTimes.check(calls, check)
      MesDepartsTimes.check(section["departure"], of: row, check)
    }
    let expected = "200, and the stops of this trip"
    await run.step(client, asked(shown.stop), expects: expected) { check, answer in
      judge(check, answer, isLast: false)
    }
    guard isEmpty else { return }
    await run.step(client, asked(shown.name), expects: expected) { check, answer in
      judge(check, answer, isLast: true)
    }
  }

  // MARK: Errors, places, ids

  private func errors(_ shown: ShownBoard) async {
    let unknown = boardRequest("Parent0000000", token: nil)
    await run.step(client, unknown, expects: "400 or 404, so that the name is looked up again") {
      check,
      answer in
      open(answer, check)
      check.status(400, 404, of: answer)
    }
    let stale = boardRequest(shown.stop, token: "soon")
    await run.step(client, stale, expects: "400 with invalid_since_rt, so that the token goes") {
      check,
      answer in
      open(answer, check)
      guard check.status(400, of: answer) else { return }
      // The page reads the first 300 characters.
      let text = String(decoding: answer.body, as: UTF8.self).prefix(300)
      check.expect(
        text.contains("invalid_since_rt"),
        "the body does not say invalid_since_rt: \(text)"
      )
    }
  }

  private func nearby(_ shown: ShownBoard) async {
    let asked = request(
      "/api/stops/nearby",
      [("lat", "46.5167"), ("lon", "6.6291"), ("limit", "7")]
    )
    await run.step(client, asked, expects: "200, and stops with an id and a name") {
      check,
      answer in
      open(answer, check)
      guard check.status(200, of: answer) else { return }
      check.shape(MesDepartsShapes.webStops, of: answer, as: .javaScript)
    }
  }

  /// Ids of other years and shapes, as favourites and links have them.
  private func sameStop() async {
    var canonical: String?
    for id in script.ids {
      await run.step(client, boardRequest(id, token: nil), expects: "200, and the same stop") {
        check,
        answer in
        guard check.status(200, of: answer) else { return }
        let found = try answer.json()["resolved"]?["canonicalId"]?.string
        check.expect(found != nil, "resolved.canonicalId: expected a string")
        if let canonical {
          check.expect(
            found == canonical,
            "canonicalId: expected \(canonical), found \(found ?? "")"
          )
        }
        canonical = canonical ?? found
      }
    }
  }
}
