/// The trip updates of one feed message, from which an index is built.
///
/// A value without references into the bytes it came from. A feed of 10 MB (15,000 trips, 259,000 stop
/// time updates) takes about 18 MB.
package struct TripUpdateFeed: Sendable {
  /// The header of the feed.
  package let header: FeedHeader
  /// The usable trip updates, in the order of the feed.
  package let trips: [TripUpdate]
  /// The stop time updates of all trips; ``TripUpdate/stopTimeUpdates`` says which are whose.
  package let stopTimeUpdates: [StopTimeUpdate]
  /// The rarer fields of stop time updates that have any.
  let stopTimeDetails: [StopTimeDetails]
  /// The texts of ids.
  package let texts: TextTable
  /// The ids of entities with `is_deleted`; only differential feeds should have any.
  package let deletedEntities: [TextID]
  /// The trip modifications, in the order of the feed.
  package var modifications: [TripModifications] = []
  /// The stops that trip modifications may refer to.
  package var stops: [RealtimeStop] = []
  /// The encoded polylines of the shapes that trips may refer to, by shape id.
  package var shapes: [String: String] = [:]
  /// How many trip modifications have a date or a time that is not valid.
  package var invalidModifications = 0
  /// Counts the outcome of every entity, and why some were rejected.
  package let counters: EntityCounters

  /// A feed without trip updates.
  package static let empty = TripUpdateFeed(
    header: FeedHeader(version: "2.0"),
    trips: [],
    stopTimeUpdates: [],
    stopTimeDetails: [],
    texts: TextTable(bytes: [], ends: []),
    deletedEntities: [],
    counters: EntityCounters()
  )

  /// The rarer fields of a stop time update of this feed; `nil` if it has none.
  package func details(of update: StopTimeUpdate) -> StopTimeDetails? {
    update.details == .max ? nil : stopTimeDetails[Int(update.details)]
  }

  /// Lends the stop time updates of a trip of this feed.
  package func updates(of trip: TripUpdate) -> ArraySlice<StopTimeUpdate> {
    stopTimeUpdates[trip.stopTimeUpdates]
  }
}
