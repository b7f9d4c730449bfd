import HTTPTypes
import Serving

extension Problem {
  /// 503 `busy`: too many boards are being made at once.
  ///
  /// - Parameter count: How many.
  /// - Returns: The problem.
  static func tooManyBoards(_ count: Int) -> Problem {
    busy("the server is making \(count) boards at once; try again in a moment")
  }

  /// 503 `busy`: too many streams are open.
  static var tooManyStreams: Problem { busy("too many streams are open; poll instead") }

  private static func busy(_ detail: String) -> Problem {
    Problem(
      .serviceUnavailable,
      "busy",
      detail: detail,
      fields: [.retryAfter: String(BoardBudget.retryAfter)]
    )
  }

  /// 503 `timeout`: time ran out, and no copy of the board is available.
  static var boardTimeout: Problem {
    Problem(
      .serviceUnavailable,
      "timeout",
      detail: "there was no time to make the board",
      fields: [.retryAfter: String(BoardBudget.retryAfter)]
    )
  }

  /// 404 `history_off`: the server keeps no history.
  static var historyOff: Problem {
    Problem(
      .notFound,
      "history_off",
      detail: "this server keeps no history: it was started with --history-days 0, or with a replay"
    )
  }

  /// 503 `history_not_ready`: the history is not open.
  static var historyNotReady: Problem {
    Problem(
      .serviceUnavailable,
      "history_not_ready",
      detail: "the history is not open yet, or cannot be opened; /health/ready tells operators why",
      fields: [.retryAfter: "5"]
    )
  }

  /// 404 `unknown_line`: nothing was counted of a line.
  ///
  /// - Parameters:
  ///   - id: The route_id.
  ///   - first: The first day.
  ///   - last: The last day.
  /// - Returns: The problem.
  static func unknownLine(_ id: String, from first: String, to last: String) -> Problem {
    Problem(
      .notFound,
      "unknown_line",
      detail:
        "nothing was counted of a line with the route_id \"\(id.prefix(80))\" from \(first) to \(last)"
    )
  }
}
