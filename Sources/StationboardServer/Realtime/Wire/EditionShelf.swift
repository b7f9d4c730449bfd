import Synchronization

/// The newest edition of each board that was asked for lately; the one asked for the longest ago goes
/// first.
final class EditionShelf: Sendable {
  /// The most editions.
  static let most = 4_096
  /// The most bytes of editions.
  static let mostBytes = 128 << 20

  private struct Place {
    var edition: BoardEdition
    var usedAt: UInt64
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

  /// Puts an edition in the place of the one before.
  func put(_ edition: BoardEdition, _ key: BoardKey) {
    state.withLock { state in
      state.uses += 1
      let before = state.places.updateValue(
        Place(edition: edition, usedAt: state.uses),
        forKey: key
      )
      state.bytes += edition.bytes - (before?.edition.bytes ?? 0)
      guard state.places.count > Self.most || state.bytes > Self.mostBytes else { return }
      // A quarter at a time, so that making room is rare.
      let oldest = state.places.sorted { $0.value.usedAt < $1.value.usedAt }
      for (key, place) in oldest.prefix(max(state.places.count / 4, 1)) {
        state.places[key] = nil
        state.bytes -= place.edition.bytes
      }
    }
  }

  /// The number of editions.
  var count: Int { state.withLock { $0.places.count } }
}
