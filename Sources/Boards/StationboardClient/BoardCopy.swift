public import Stationboard
public import TolerantDecoding

/// A board as people see it: copies are equal if their rows, banners and station are.
///
/// The metadata of a response (``Board/meta``) changes with every response and does not count as a change (R16); the
/// engine reports how fresh a copy is.
public struct BoardCopy: Codable, Equatable, Sendable {
  /// The board.
  public var board: Board
  /// What deviated in the answer: departures and alerts that could not be used among them.
  public var issues: [DecodeIssue]

  /// Wraps a board.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - issues: What deviated in the answer.
  public init(_ board: Board, issues: [DecodeIssue] = []) {
    self.board = board
    self.issues = issues
  }

  /// Compares what people see.
  public static func == (left: BoardCopy, right: BoardCopy) -> Bool {
    left.board.station == right.board.station && left.board.departures == right.board.departures
      && left.board.banners == right.board.banners && left.board.onDemand == right.board.onDemand
      && left.board.noService == right.board.noService
      && left.board.meta.timetable == right.board.meta.timetable
  }

  /// Reads a board that was stored.
  public init(from decoder: any Decoder) throws { self.init(try Board(from: decoder)) }

  /// Writes the board; what deviated in its answer is not kept.
  public func encode(to encoder: any Encoder) throws { try board.encode(to: encoder) }

  /// The board after a change from the stream, or `nil` if the change applies to another copy.
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
    copy.board.onDemand = change.onDemand
    copy.board.noService = change.noService
    copy.board.meta = change.meta
    copy.issues = change.issues
    return copy
  }
}

/// An event `change` of `GET /api/stationboard/stream`.
struct BoardChange {
  var departures: [Departure]
  var order: [String]
  var banners: [ServiceAlert]?
  var onDemand: [Board.OnDemandService]?
  var noService: Board.NoService?
  var meta: Board.Meta
  var issues: [DecodeIssue]

  /// Reads a change; `nil` if it cannot be applied.
  init?(_ bytes: [UInt8]) {
    let decoded = try? TolerantDecoder().decode(bytes) { root -> BoardChange? in
      guard root["departures"].isList, root["meta"].holdsObject,
        let order = root["order"].list({ $0.string() }), order.dropped == 0
      else { return nil }
      let departures = BoardReader.departures(root["departures"])
      // A row that is lost here would be a row that is not known.
      guard departures.count == root["departures"].count else { return nil }
      return BoardChange(
        departures: departures,
        order: order.elements,
        banners: BoardReader.alerts(root["banners"]),
        onDemand: BoardReader.onDemand(root["onDemand"]),
        noService: BoardReader.noService(root["noService"]),
        meta: BoardReader.meta(root),
        issues: []
      )
    }
    guard let decoded, var change = decoded.model else { return nil }
    change.issues = decoded.issues
    self = change
  }

  private init(
    departures: [Departure],
    order: [String],
    banners: [ServiceAlert]?,
    onDemand: [Board.OnDemandService]?,
    noService: Board.NoService?,
    meta: Board.Meta,
    issues: [DecodeIssue]
  ) {
    self.departures = departures
    self.order = order
    self.banners = banners
    self.onDemand = onDemand
    self.noService = noService
    self.meta = meta
    self.issues = issues
  }
}
