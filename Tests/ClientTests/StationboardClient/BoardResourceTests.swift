import ConditionalHTTP
import EventFeed
import Freshness
import FreshnessRuntime
import HTTPTypes
import Stationboard
import StationboardClient
import Testing

@Suite("A board as a resource")
struct BoardResourceTests {
  private let resource: BoardResource

  init() throws {
    let server = try HTTPAddress("http://board.example:8080/base/")
    resource = BoardResource(server: server, stop: "8501120", limit: 7, language: "de")
  }

  private func read(_ json: String) throws -> Reading<BoardCopy> {
    let head = HTTPResponse(status: .ok)
    return try resource.read(HTTPExchangeAnswer(head: head, body: Array(json.utf8)), since: nil)
  }

  @Test
  func `It asks for its stop, its limit and its language`() {
    let path = "/base/api/stationboard?stop_id=8501120&limit=7&lang=de"
    #expect(resource.request(since: nil).path == path)
    #expect(resource.request(since: nil).authority == "board.example:8080")
    #expect(
      resource.eventStream()?.path == path.replacing("stationboard?", with: "stationboard/stream?")
    )
    var silent = resource
    silent.streams = false
    #expect(silent.eventStream() == nil)
  }

  @Test
  func `It reads a board, its freshness and what comes next`() throws {
    let reading = try read(BoardStand.board())
    #expect(reading.subject == "8501120" && reading.hasRealtime)
    #expect(reading.metadata?.status == .applied && reading.metadata?.mode == .full)
    #expect(reading.metadata?.cacheAge == .milliseconds(10_500))
    #expect(reading.metadata?.serverTime == WallTime(milliseconds: 1_795_503_600_500))
    #expect(reading.hints?.nextExpectedAt == WallTime(milliseconds: 1_795_503_620_000))
    #expect(reading.hints?.spread == .milliseconds(9_900))
    #expect(try read(BoardStand.board(status: "disabled")).hasRealtime == false)
    #expect(throws: UnreadableAnswer.self) { try read("{}") }
  }

  @Test
  func `What an answer says about itself is not a change`() throws {
    let first = try read(BoardStand.board(second: 0)).value
    #expect(try read(BoardStand.board(second: 5)).value == first)
    #expect(try read(BoardStand.board(lines: ["9", "1"])).value != first)
  }

  @Test
  func `It reads the freshness of a 304 from its fields`() throws {
    var head = HTTPResponse(status: .notModified)
    #expect(resource.metadata(of: head) == nil)
    for (name, value) in [
      ("x-md-rt-status", "stale_cache"), ("x-md-rt-age-ms", "61000"),
      ("x-md-rt-fetched-at", "2026-11-24T06:59:50.000Z"),
    ] { head.headerFields[try #require(HTTPField.Name(name))] = value }
    let metadata = try #require(resource.metadata(of: head))
    #expect(metadata.status == .staleCache && metadata.cacheAge == .seconds(61))
    head.headerFields[try #require(HTTPField.Name("x-md-rt-age-ms"))] = "-1"
    #expect(resource.metadata(of: head)?.cacheAge == nil)
  }

  @Test
  func `It reads what comes next, and the spread, from the fields of a 304`() throws {
    var head = HTTPResponse(status: .notModified)
    #expect(resource.hints(of: head) == nil)
    head.headerFields[try #require(HTTPField.Name("x-md-rt-next-ms"))] = "12345"
    #expect(resource.hints(of: head) == Hints(maxAge: .milliseconds(12_345)))
    head.headerFields[try #require(HTTPField.Name("x-md-rt-spread-ms"))] = "10000"
    #expect(
      resource.hints(of: head) == Hints(maxAge: .milliseconds(12_345), spread: .seconds(10))
    )
  }

  @Test
  func `Changes of the stream are put in place, and gaps are seen`() throws {
    let known = try read(BoardStand.board(lines: ["1", "2", "3"])).value
    func change(_ rows: [String], _ order: [String]) -> StreamEvent<BoardCopy> {
      let keys = order.map { "\"trip-\($0)\"" }.joined(separator: ",")
      let departures = rows.map(BoardStand.departure).joined(separator: ",")
      let data =
        "{\"removed\":[],\"departures\":[\(departures)],\"order\":[\(keys)],\"banners\":[],"
        + "\"noService\":null,\(BoardStand.meta())}"
      return resource.read(ServerSentEvent(type: "change", data: data, id: "2"), since: known)
    }
    guard case .delivered(let reading) = change(["4"], ["3", "4", "1"]) else {
      Issue.record("the change was not delivered")
      return
    }
    #expect(reading.value.board.departures.map(\.line) == ["3", "4", "1"])
    #expect(reading.value.board.station == known.board.station)
    guard case .gap = change([], ["3", "5"]) else {
      Issue.record("an unknown row is a gap")
      return
    }
    let snapshot = ServerSentEvent(type: "snapshot", data: BoardStand.board(lines: ["8"]), id: "3")
    guard case .delivered(let whole) = resource.read(snapshot, since: nil) else {
      Issue.record("the snapshot was not delivered")
      return
    }
    #expect(whole.value.board.departures.map(\.line) == ["8"])
    guard case .sign = resource.read(ServerSentEvent(type: "reset", data: "{}"), since: known)
    else {
      Issue.record("a reset is followed by a snapshot")
      return
    }
  }

  @Test(
    arguments: [
      ("2026-11-24T08:00:00+01:00", 1_795_503_600_000), ("2026-11-24T07:00:00Z", 1_795_503_600_000),
      ("2026-11-24T07:00:00.25Z", 1_795_503_600_250),
      ("2026-11-24T02:30:00.1239-04:30", 1_795_503_600_124),
      ("2026-11-24T07:00:00", nil), ("2026-02-30T07:00:00Z", nil),
      ("2026-11-24T07:00:00.Z", nil), ("2026-11-24T07:00:00+1:00", nil), ("", nil),
    ] as [(String, Int64?)]
  )
  func `Instants`(text: String, milliseconds: Int64?) {
    #expect(BoardInstant.read(text)?.milliseconds == milliseconds)
  }
}
