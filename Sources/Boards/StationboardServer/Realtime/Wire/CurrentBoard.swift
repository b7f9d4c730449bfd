import HTTPTypes
import Synchronization

/// A board as a request showed it, with everything that a response to the same request needs.
final class CurrentBoard: Sendable {
  /// What a board is made of: equal versions are equal timetables and equal realtime.
  struct Version: Hashable, Sendable {
    /// The number of changes of the timetables (``FeedStore/version``).
    let timetables: UInt64
    /// The number of changes of realtime (``RealtimeFeeds/version``).
    let realtime: UInt64
  }

  let request: BoardRequest
  /// The phases that are part of it.
  let phases: BoardPhases
  /// The realtime data.
  let snapshot: RealtimeSnapshot
  let renderedBoard: RenderedBoard
  /// The entity tag of the response, with its quotes.
  let entityTag: String
  /// The header fields of each response with it.
  let fields: HTTPFields
  private let template = Mutex<BoardTemplate?>(nil)

  init(
    _ request: BoardRequest,
    phases: BoardPhases,
    snapshot: RealtimeSnapshot,
    renderedBoard: RenderedBoard,
    entityTag: String
  ) {
    self.request = request
    self.phases = phases
    self.snapshot = snapshot
    self.renderedBoard = renderedBoard
    self.entityTag = entityTag
    var fields = renderedBoard.fields
    if entityTag != renderedBoard.entityTag { fields[.eTag] = entityTag }
    let trips = snapshot.trips
    for (name, text) in [
      (HTTPField.Name.mdRealtimeFetchedAt, trips.sourceText), (.mdLastPollAt, trips.lastPollText),
    ] {
      if let text { fields.append(HTTPField(name: name, value: text)) }
    }
    self.fields = fields
  }

  /// The end of each body with it, made when it is first needed.
  func end(_ make: () -> BoardTemplate) -> BoardTemplate {
    template.withLock { template in
      if let template { return template }
      let made = make()
      template = made
      return made
    }
  }
}
