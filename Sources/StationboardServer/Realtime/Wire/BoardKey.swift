import Timetable

/// What decides a board apart from time and realtime: requests with equal keys see the same board.
struct BoardKey: Hashable, Sendable {
  let generation: String
  let prefix: String
  let stop: Timetable.Stop
  let canonicalId: String
  let source: String
  let limit: Int
  let window: Int
  let language: String?
  /// Which of the optional phases are part of it.
  let phases: Set<BoardPhase>

  /// The key of a request for the present.
  init(_ request: BoardRequest, phases: Set<BoardPhase>) {
    generation = request.stop.feed.entry.generation
    prefix = request.stop.feed.entry.prefix ?? ""
    stop = request.stop.stop
    canonicalId = request.stop.canonicalId
    source = request.stop.source.rawValue
    limit = request.limit
    window = request.window
    language = request.language
    self.phases = phases
  }
}
