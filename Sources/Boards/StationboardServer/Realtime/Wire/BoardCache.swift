import Synchronization

/// The newest rendered board of each board that was asked for lately, and a few before it; the board asked for
/// the longest ago goes first.
final class BoardCache: Sendable {
  /// The most boards.
  static let most = 4_096
  /// The most bytes of rendered boards.
  static let mostBytes = 128 << 20
  /// The most earlier renderings kept of a board, for clients that resume a stream (R33).
  static let mostEarlier = 6

  private struct Place {
    var renderedBoard: RenderedBoard
    var earlier: [RenderedBoard] = []
    /// Until when earlier boards are kept: a client follows the board, or did recently.
    var followedUntil: ContinuousClock.Instant?

    var bytes: Int { earlier.reduce(renderedBoard.bytes) { $0 + $1.bytes } }
  }

  private struct State {
    var places = RecencyTable<BoardKey, Place>()
    var bytes = 0
  }

  private let most: Int
  private let mostBytes: Int
  private let state = Mutex(State())

  init(most: Int = BoardCache.most, mostBytes: Int = BoardCache.mostBytes) {
    self.most = most
    self.mostBytes = mostBytes
  }

  /// The newest rendered form of a board.
  func renderedBoard(_ key: BoardKey) -> RenderedBoard? {
    state.withLock { $0.places.use(key)?.renderedBoard }
  }

  /// The rendered form of a board with an entity tag, if it is the newest or one of those before.
  func renderedBoard(_ key: BoardKey, tagged tag: String) -> RenderedBoard? {
    state.withLock { state in
      guard let place = state.places.peek(key) else { return nil }
      if place.renderedBoard.entityTag == tag { return place.renderedBoard }
      return place.earlier.last { $0.entityTag == tag }
    }
  }

  /// Notes that a client follows a board: from now on, and for a while after the last note, earlier
  /// versions of it are kept.
  func follow(_ key: BoardKey) {
    state.withLock { $0.places.update(key) { $0.followedUntil = .now + BoardBudget.replay } }
  }

  /// Puts a rendered board in the place of the one before.
  func put(_ renderedBoard: RenderedBoard, _ key: BoardKey) {
    // Freed outside of the lock: rendered boards are large, and every request for a board takes the lock.
    let gone = state.withLock { state -> [Place] in
      var gone: [Place] = []
      var place = Place(renderedBoard: renderedBoard)
      if let before = state.places.peek(key) {
        // Another request was faster, with a newer publication.
        if before.renderedBoard.tick > renderedBoard.tick { return [] }
        state.bytes -= before.bytes
        if let until = before.followedUntil, until > .now {
          place.followedUntil = until
          place.earlier = before.earlier
          if before.renderedBoard.entityTag != renderedBoard.entityTag {
            place.earlier.append(before.renderedBoard)
            if place.earlier.count > Self.mostEarlier { place.earlier.removeFirst() }
          }
        }
        gone.append(before)
      }
      state.bytes += place.bytes
      state.places.put(place, key)
      while state.places.count > max(most, 1) || state.bytes > mostBytes && state.places.count > 1,
        let oldest = state.places.removeOldest()
      {
        state.bytes -= oldest.bytes
        gone.append(oldest)
      }
      return gone
    }
    withExtendedLifetime(gone) {}
  }

  /// The number of boards.
  var count: Int { state.withLock { $0.places.count } }
}
