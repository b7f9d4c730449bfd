public import Stationboard

/// A board as people see it: copies are equal if their rows, banners and station are.
///
/// What an answer says about itself (``Board/meta``) changes with every answer and is no change (R16);
/// how fresh a copy is, the engine tells.
public struct BoardCopy: Equatable, Sendable {
  /// The board.
  public var board: Board

  /// Wraps a board.
  public init(_ board: Board) { self.board = board }

  /// Compares what people see.
  public static func == (left: BoardCopy, right: BoardCopy) -> Bool {
    left.board.station == right.board.station && left.board.departures == right.board.departures
      && left.board.banners == right.board.banners && left.board.noService == right.board.noService
      && left.board.meta.timetable == right.board.meta.timetable
  }

  /// The board after a change of the stream; nothing if the change is about another copy.
  func applying(_ change: BoardChange) -> BoardCopy? {
    var rows: [String: Departure] = [:]
    for departure in board.departures {
      guard let key = departure.key else { return nil }
      rows[key] = departure
    }
    for departure in change.departures {
      guard let key = departure.key else { return nil }
      rows[key] = departure
    }
    var copy = self
    copy.board.departures = []
    for key in change.order {
      guard let row = rows[key] else { return nil }
      copy.board.departures.append(row)
    }
    copy.board.banners = change.banners
    copy.board.noService = change.noService
    copy.board.meta = change.meta
    return copy
  }
}

/// An event `change` of `GET /api/stationboard/stream`.
struct BoardChange: Decodable {
  var departures: [Departure]
  var order: [String]
  var banners: [ServiceAlert]?
  var noService: Board.NoService?
  var meta: Board.Meta
}
