import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Testing

@testable import StationboardServer

/// Boards that are ready to be sent again, and the bodies that are.
@Suite struct CurrentBoardTests {
  private static func version(_ timetables: UInt64, _ realtime: UInt64) -> CurrentBoard.Version {
    CurrentBoard.Version(timetables: timetables, realtime: realtime)
  }

  private static func text(_ path: String) throws -> RequestText {
    try #require(RequestText(request(path)))
  }

  private static func request(_ path: String) -> Request {
    Request(
      head: HTTPRequest(method: .get, scheme: "http", authority: "board", path: path),
      body: RequestBody(buffer: ByteBuffer())
    )
  }

  /// A board of the storm's network, with realtime as the stage has it.
  private static func board(_ stage: SourceStage, stop: String = "S0") throws -> CurrentBoard {
    let feed = try #require(stage.store.feeds.first)
    let resolved = try #require(StopResolver(feeds: [feed]).resolve(stop))
    let request = BoardRequest(stop: resolved, limit: 10, window: 60)
    let renderer = BoardRenderer(realtime: stage.feeds, clock: stage.service)
    let snapshot = renderer.snapshot(of: feed)
    let phases: BoardPhases = [.timetable, .realtime, .alerts]
    let rendered = renderer.renderedBoard(
      request,
      phases: phases,
      at: stage.service.now,
      snapshot: snapshot
    )
    return CurrentBoard(
      request,
      phases: phases,
      snapshot: snapshot,
      renderedBoard: rendered,
      entityTag: rendered.entityTag
    )
  }

  /// The answer with a board some time later.
  private static func answer(_ board: CurrentBoard, _ number: Int, at now: Double) -> BoardAnswer {
    BoardAnswer(
      request: board.request,
      renderedBoard: board.renderedBoard,
      snapshot: board.snapshot,
      mode: .full,
      skipped: [],
      requestId: "request-\(number)",
      now: now + pow(3, Double(number % 12)) / 1_000,
      elapsed: Double(number) * 1.7,
      entityTag: board.entityTag,
      foretold: number % 3 == 0
        ? ForetoldChange(expectedAt: now + 30, quantile: 0.8, spread: Double(number)) : nil
    )
  }

  @Test func `a board is there for the same request until anything changes`() throws {
    let stage = try SourceStage([])
    let board = try Self.board(stage)
    let boards = CurrentBoards()
    let text = try Self.text("/api/stationboard?stop_id=S0")
    let first = Self.version(0, 0)
    #expect(boards.board(text, first) == nil)
    boards.keep(board, text, first) { first }
    #expect(boards.board(text, first) === board)
    #expect(boards.board(try Self.text("/api/stationboard?stop_id=S1"), first) == nil)
    for next in [Self.version(0, 1), Self.version(1, 1)] {
      #expect(boards.board(text, next) == nil)
      #expect(boards.count == 0)
      boards.keep(board, text, next) { next }
      #expect(boards.board(text, next) === board)
    }
  }

  @Test func `a board of an earlier version is not kept`() throws {
    let stage = try SourceStage([])
    let board = try Self.board(stage)
    let boards = CurrentBoards()
    let text = try Self.text("/api/stationboard?stop_id=S0")
    let (first, second) = (Self.version(0, 0), Self.version(1, 0))
    #expect(boards.board(text, first) == nil)
    // The timetable was replaced while the board was made.
    boards.keep(board, text, first) { second }
    #expect(boards.count == 0)
    #expect(boards.board(text, second) == nil)
    boards.keep(board, text, first) { second }
    #expect(boards.count == 0)
    boards.keep(board, text, second) { second }
    #expect(boards.count == 1)
    boards.removeAll()
    #expect(boards.count == 0)
    #expect(boards.board(text, second) == nil)
  }

  @Test func `no more than the most boards are kept`() throws {
    let stage = try SourceStage([])
    let board = try Self.board(stage)
    let boards = CurrentBoards()
    let version = Self.version(0, 0)
    for number in 0..<3 * CurrentBoards.most {
      let text = try Self.text("/api/stationboard?stop_id=\(number)")
      #expect(boards.board(text, version) == nil)
      boards.keep(board, text, version) { version }
      #expect(boards.board(text, version) === board)
      #expect(boards.count <= CurrentBoards.most)
    }
  }

  @Test func `a long request is not remembered`() throws {
    let path = "/api/stationboard?stop_id=S0&x="
    let rest = RequestText.longest - path.utf8.count
    #expect(RequestText(Self.request(path + String(repeating: "x", count: rest))) != nil)
    #expect(RequestText(Self.request(path + String(repeating: "x", count: rest + 1))) == nil)
  }

  @Test(arguments: [false, true])
  func `a body that is sent again is what a new one would be`(isKnown: Bool) async throws {
    let stage = try SourceStage([.tripUpdates, .alerts])
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 300, at: stage.now)))
    try await stage.run { stage in
      let board = try Self.board(stage)
      let other = try Self.board(stage, stop: "S1")
      let boards = CurrentBoards()
      let now = stage.service.now
      var sent: [(body: ByteBuffer, expected: ByteBuffer)] = []
      for number in 0..<60 {
        let chosen = number % 5 == 4 ? other : board
        let answer = Self.answer(chosen, number, at: now)
        sent.append((boards.body(answer, of: chosen, isKnown: isKnown), answer.body()))
        // Some bodies are still being sent, as to a slow client.
        if sent.count > 20 { sent.remove(at: number % 7) }
        for (body, expected) in sent { #expect(body == expected) }
      }
      let json = try JSONSerialization.jsonObject(with: Data(sent[0].body.readableBytesView))
      #expect((json as? [String: Any])?["meta"] != nil)
    }
  }

  @Test func `each request to a source and each import is a new version`() async throws {
    let path = NSTemporaryDirectory() + "freshet-version-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try StormNetwork.imported(into: path)
    let stage = try SourceStage(store: try SampleFeed.store(folder))
    stage.answer(.tripUpdates, .content(SourceStage.feed(delay: 300, at: stage.now)))
    try await stage.run { stage in
      var before = stage.feeds.version
      for delay in [300, 360] {
        stage.answer(.tripUpdates, .content(SourceStage.feed(delay: delay, at: stage.now)))
        try await stage.poll()
        #expect(stage.feeds.version > before)
        before = stage.feeds.version
      }
      let imports = stage.store.version
      stage.store.reload()
      #expect(stage.store.version == imports)
      _ = try StormNetwork.imported(into: path, version: "2")
      stage.store.reload()
      #expect(stage.store.version == imports + 1)
    }
  }

  @Test func `the time a response took has three digits`() {
    for (number, text) in [
      (0, "0.000"), (0.0004, "0.000"), (0.0006, "0.001"), (0.25, "0.250"), (9.9996, "10.000"),
      (12.3456, "12.346"), (99_999.5, "99999.500"), (1e30, "99999999999.999"),
    ] { #expect(BoardEndpoint.thousandths(number) == text) }
  }
}
