import Foundation
import Testing

@testable import StationboardServer

/// What a stream sends for a change of a board.
@Suite struct BoardChangeTests {
  private struct Change: Decodable {
    struct Departure: Decodable {
      var key: String
    }

    var removed: [String]
    var departures: [Departure]
    var order: [String]
  }

  /// The board of the stop a at an instant.
  private func board(_ stage: RealtimeStage, at now: Int64) throws -> RenderedBoard {
    RenderedBoard(
      try stage.board("a", at: now, nil),
      selection: nil,
      snapshot: RealtimeSnapshot(),
      statuses: .init(realtime: .disabled, alerts: .disabled),
      additions: [],
      before: nil
    )
  }

  private func change(from shown: RenderedBoard, to board: RenderedBoard) throws -> Change {
    var json = JSONBytes()
    BoardChange(from: shown, to: board).write(&json)
    json.raw("\"end\":null}")
    return try JSONDecoder().decode(Change.self, from: Data(json.array))
  }

  @Test func `a departure has the same key wherever a change names it`() throws {
    // As a field of CSV; the trip id is t "1" \ 2.
    let id = #""t ""1"" \ 2""#
    let stage = try RealtimeStage([
      .init(id, ["1 a 10:00:00", "2 b 10:10:00"]), .init("u", ["1 a 10:20:00", "2 b 10:30:00"]),
    ])
    let before = try board(stage, at: stage.at("2026-02-16 09:55:00"))
    let after = try board(stage, at: stage.at("2026-02-16 10:10:00"))
    let none = try board(stage, at: stage.at("2026-02-16 12:00:00"))
    let key = #"t "1" \ 2|a|2026-02-16|1"#

    let come = try change(from: none, to: before)
    #expect(come.departures.map(\.key) == [key, "u|a|2026-02-16|1"])
    #expect(come.order == come.departures.map(\.key))
    #expect(come.removed.isEmpty)

    let gone = try change(from: before, to: after)
    #expect(gone.removed == [key])
    #expect(gone.departures.isEmpty)
    #expect(gone.order == ["u|a|2026-02-16|1"])
  }
}
