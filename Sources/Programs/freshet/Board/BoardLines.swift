import Commands
import Foundation
import Freshness
import FreshnessRuntime
import Stationboard
import StationboardClient

/// A board for programs: one JSON object per change, as JSON Lines.
///
/// Members: `event` (`board`, `failing`, `recovered`), `board` with the first and each new copy,
/// `failure`, and how fresh the copy is: `ageMs`, `marker`, `reason`, `isStreaming`.
struct BoardLines {
  private var shown: BoardCopy?
  private var failure: LiveFailure?

  /// Returns the lines for a snapshot; empty if nothing changed.
  mutating func text(_ snapshot: LiveSnapshot<BoardCopy>, _ freshness: FreshnessReport?) -> String {
    var text = ""
    if let copy = snapshot.value, copy != shown {
      shown = copy
      text += line("board", freshness, board: copy.board)
    }
    if let now = snapshot.failure {
      if now.description != failure?.description {
        text += line("failing", freshness, failure: now.description)
      }
    } else if failure != nil {
      text += line("recovered", freshness)
    }
    failure = snapshot.failure
    return text
  }

  private struct Line: Encodable {
    var event: String
    var ageMs: Int64?
    var marker: String?
    var reason: String?
    var isStreaming: Bool
    var failure: String?
    var board: Board?
  }

  private func line(
    _ event: String,
    _ freshness: FreshnessReport?,
    failure: String? = nil,
    board: Board? = nil
  ) -> String {
    var line = Line(event: event, isStreaming: freshness?.isStreaming ?? false)
    line.ageMs = freshness?.label.age?.milliseconds
    line.failure = failure
    line.board = board
    switch freshness?.label.marker {
    case .normal: line.marker = "normal"
    case .reduced(let reason):
      line.marker = "reduced"
      switch reason {
      case .status(let status): line.reason = status.name
      case .mode(let mode): line.reason = mode.name
      }
    case nil, .some(.none): break
    }
    return (try? PrintedJSON.line(line)) ?? ""
  }
}
