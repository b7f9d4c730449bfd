import NIOCore
import Serving
import Synchronization

/// The boards of the last requests, as long as timetables and realtime are the same: most clients ask the same again.
///
/// Threads share nothing here that changes with each request. ``BoardCache`` and ``UnderstoodRequests`` remember more, and
/// what survives a change.
final class CurrentBoards: Sendable {
  /// The most boards of one share; the next one replaces them all.
  static let most = 256

  private struct Contents {
    /// What the boards are made of; `nil` before the first.
    var version: CurrentBoard.Version?
    var boards: [RequestText: CurrentBoard] = [:]
    var bodies = SentBodies()
  }

  /// What some threads remember.
  private final class Share: Sendable {
    let contents = Mutex(Contents())
    private let distance = ThreadNumber.distance
  }

  private let shares = (0..<ThreadNumber.count).map { _ in Share() }

  /// The board of a request.
  ///
  /// - Parameters:
  ///   - text: The request.
  ///   - version: The version of timetables and realtime, read before.
  /// - Returns: The board; `nil` if it was not asked for since the last change.
  func board(_ text: RequestText, _ version: CurrentBoard.Version) -> CurrentBoard? {
    // Freed outside of the lock.
    let (board, gone) = shares[ThreadNumber.current].contents.withLock { share in
      if share.version == version { return (share.boards[text], Contents()) }
      let gone = share
      share = Contents(version: version)
      return (nil, gone)
    }
    withExtendedLifetime(gone) {}
    return board
  }

  /// Keeps the board of a request.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - text: The request.
  ///   - version: The version that was read before anything of the board.
  ///   - newest: Reads the version again: a board of an earlier one is not kept, so that ``removeAll()`` after a change
  ///     leaves nothing of before.
  func keep(
    _ board: CurrentBoard,
    _ text: RequestText,
    _ version: CurrentBoard.Version,
    newest: () -> CurrentBoard.Version
  ) {
    let gone = shares[ThreadNumber.current].contents.withLock { share in
      guard share.version == version, newest() == version else { return Contents() }
      var gone = Contents()
      if share.boards.count >= Self.most { swap(&gone.boards, &share.boards) }
      share.boards[text] = board
      return gone
    }
    withExtendedLifetime(gone) {}
  }

  /// The body of a response.
  ///
  /// - Parameters:
  ///   - answer: The response.
  ///   - board: Its board.
  ///   - isKnown: Whether the board was the one of a response before.
  /// - Returns: The body.
  func body(_ answer: BoardAnswer, of board: CurrentBoard, isKnown: Bool) -> ByteBuffer {
    let share = shares[ThreadNumber.current]
    let end = isKnown ? answer.end(board.end { answer.template() }) : answer.end()
    let rendered = board.renderedBoard
    var body =
      share.contents.withLock { $0.bodies.take(rendered) }
      ?? BoardAnswer.beginning(of: rendered, capacity: end.length + SentBodies.room)
    // If it is still being sent, this makes a copy.
    body.moveWriterIndex(to: rendered.beginningLength)
    end.write(to: &body)
    let gone = share.contents.withLock { $0.bodies.put(body, rendered) }
    withExtendedLifetime(gone) {}
    return body
  }

  /// Removes all boards, which would otherwise keep earlier timetables and realtime in memory until the next requests.
  func removeAll() {
    for share in shares {
      let gone = share.contents.withLock { share in
        defer { share = Contents() }
        return share
      }
      withExtendedLifetime(gone) {}
    }
  }

  /// The number of boards.
  var count: Int { shares.reduce(0) { $0 + $1.contents.withLock { $0.boards.count } } }
}
