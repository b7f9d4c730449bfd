import Synchronization

/// The newest edition of each board that was asked for lately, and a few before it; the board asked for
/// the longest ago goes first.
final class EditionShelf: Sendable {
  /// The most boards.
  static let most = 4_096
  /// The most bytes of editions.
  static let mostBytes = 128 << 20
  /// The most earlier editions of a board, for those who come back to a stream (R33).
  static let mostEarlier = 6

  private struct Place {
    var edition: BoardEdition
    var earlier: [BoardEdition] = []
    var usedAt: UInt64
    /// Until when earlier editions are kept: somebody follows the board, or did a moment ago.
    var followedUntil: ContinuousClock.Instant?

    var bytes: Int { earlier.reduce(edition.bytes) { $0 + $1.bytes } }
  }

  private struct State {
    var places: [BoardKey: Place] = [:]
    var bytes = 0
    var uses: UInt64 = 0
  }

  private let state = Mutex(State())

  /// The newest edition of a board.
  func edition(_ key: BoardKey) -> BoardEdition? {
    state.withLock { state in
      state.uses += 1
      guard let index = state.places.index(forKey: key) else { return nil }
      state.places.values[index].usedAt = state.uses
      return state.places.values[index].edition
    }
  }

  /// The edition of a board with an entity tag, if it is the newest or one of those before.
  func edition(_ key: BoardKey, tagged tag: String) -> BoardEdition? {
    state.withLock { state in
      guard let place = state.places[key] else { return nil }
      if place.edition.entityTag == tag { return place.edition }
      return place.earlier.last { $0.entityTag == tag }
    }
  }

  /// Notes that somebody follows a board: from now on, and for a while after the last note, earlier
  /// editions of it are kept.
  func follow(_ key: BoardKey) {
    state.withLock { state in
      guard let index = state.places.index(forKey: key) else { return }
      state.places.values[index].followedUntil = .now + BoardBudget.replay
    }
  }

  /// Puts an edition in the place of the one before.
  func put(_ edition: BoardEdition, _ key: BoardKey) {
    state.withLock { state in
      state.uses += 1
      var place = Place(edition: edition, usedAt: state.uses)
      if let before = state.places[key] {
        // Somebody was quicker, with a newer publication.
        if before.edition.tick > edition.tick { return }
        state.bytes -= before.bytes
        if let until = before.followedUntil, until > .now {
          place.followedUntil = until
          place.earlier = before.earlier
          if before.edition.entityTag != edition.entityTag {
            place.earlier.append(before.edition)
            if place.earlier.count > Self.mostEarlier { place.earlier.removeFirst() }
          }
        }
      }
      state.bytes += place.bytes
      state.places[key] = place
      guard state.places.count > Self.most || state.bytes > Self.mostBytes else { return }
      // A quarter at a time, so that making room is rare.
      let oldest = state.places.sorted { $0.value.usedAt < $1.value.usedAt }
      for (key, place) in oldest.prefix(max(state.places.count / 4, 1)) {
        state.places[key] = nil
        state.bytes -= place.bytes
      }
    }
  }

  /// The number of boards.
  var count: Int { state.withLock { $0.places.count } }
}
