import Timetable

/// What decides a board apart from time and realtime: requests with equal keys see the same board.
///
/// Small, because every request looks one up.
struct BoardKey: Hashable, Sendable {
  /// The import of a feed, by the number of its opening.
  let feed: Int
  let stop: Timetable.Stop
  let source: StopResolver.Source
  let limit: Int
  let window: Int
  let language: String?
  /// Which of the optional phases are part of it.
  let phases: BoardPhases

  /// The key of a request for the present.
  init(_ request: BoardRequest, phases: BoardPhases) {
    feed = request.stop.feed.number
    stop = request.stop.stop
    source = request.stop.source
    limit = request.limit
    window = request.window
    language = request.language
    self.phases = phases
  }
}
