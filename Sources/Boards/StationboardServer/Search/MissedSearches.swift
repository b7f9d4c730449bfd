import Synchronization

/// Queries that found nothing lately: asked again, nothing is searched for.
///
/// Holds ``most`` queries at least and twice as many at most: when the newer half is full, it takes the place of the
/// older one. Other timetables empty it.
final class MissedSearches: Sendable {
  /// The queries of one half.
  static let most = 4_096
  /// The longest query that is remembered, in bytes.
  static let longest = 400

  private struct State {
    /// The timetables that all of it is about, by their numbers.
    var feeds: [Int] = []
    var newer: Set<String> = []
    var older: Set<String> = []
  }

  private let state = Mutex(State())

  /// How many queries are remembered.
  var count: Int { state.withLock { $0.newer.count + $0.older.count } }

  /// Whether a query found nothing in these timetables.
  func contains(_ query: String, in feeds: [Feed]) -> Bool {
    state.withLock { state in
      state.feeds.elementsEqual(feeds.lazy.map(\.number))
        && (state.newer.contains(query) || state.older.contains(query))
    }
  }

  /// Remembers that a query found nothing in these timetables.
  func insert(_ query: String, in feeds: [Feed]) {
    // Freed outside of the lock.
    let gone = state.withLock { state -> [Set<String>] in
      let numbers = feeds.map(\.number)
      guard state.feeds == numbers else {
        let before = state
        state = State(feeds: numbers, newer: [query])
        return [before.newer, before.older]
      }
      var gone: [Set<String>] = []
      if state.newer.count >= Self.most {
        gone = [state.older]
        (state.older, state.newer) = (state.newer, [])
      }
      state.newer.insert(query)
      return gone
    }
    withExtendedLifetime(gone) {}
  }
}
