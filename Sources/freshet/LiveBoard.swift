import Foundation
import Stationboard
import StationboardClient

/// A board that stays on the terminal and refreshes, until Ctrl-C.
///
/// A failure never takes the board away: it stays, its age grows, and the line below says why.
struct LiveBoard {
  /// The cadence of seed 001: 20 s, and 2 s of jitter to either side.
  static let cadence = 20.0
  static let jitter = 2.0

  let client: StationboardClient
  let stop: String
  let limit: Int
  let language: String?

  /// Draws until the task is cancelled.
  func run() async {
    let isInteractive = Terminal.canRedraw
    var board: Board?
    var failure: String?
    var checked = ContinuousClock.now
    var next = ContinuousClock.now
    while !Task.isCancelled {
      if ContinuousClock.now >= next {
        do throws(StationboardFailure) {
          board = try await client.board(stop: stop, limit: limit, language: language)
          checked = ContinuousClock.now
          failure = nil
        } catch {
          failure = error.description
        }
        let wait = Self.cadence + Double.random(in: -Self.jitter...Self.jitter)
        next = ContinuousClock.now + .seconds(wait)
        if !isInteractive, !draw(board, checked, failure, isInteractive) { return }
      }
      if isInteractive, !draw(board, checked, failure, isInteractive) { return }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Draws the board; `false` if nobody can see it any more.
  private func draw(
    _ board: Board?,
    _ checked: ContinuousClock.Instant,
    _ failure: String?,
    _ isInteractive: Bool
  ) -> Bool {
    let size = Terminal.size
    let text = BoardText(columns: size.columns, hasColor: Terminal.hasColor)
    let age = Int((ContinuousClock.now - checked).components.seconds)
    let content =
      board.map { board in
        text.render(
          board,
          checkedAgo: age,
          failure: failure,
          rows: isInteractive ? max(1, size.rows - 5) : nil
        )
      } ?? "\(failure ?? "…")\n"
    // Home, each line cleared to its end, then the rest of the screen: no flicker.
    let lines = content.replacing("\n", with: "\u{1B}[K\n")
    return Terminal.write(isInteractive ? "\u{1B}[H\(lines)\u{1B}[J" : content + "\n")
  }
}
