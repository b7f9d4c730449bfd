/// The vehicle positions of one feed message that are of trips.
package struct VehiclePositionFeed: Sendable {
  /// The trips of the positions, each as an update that says at most which stop is the current one: what finds the trip
  /// of a trip update finds that of a position.
  package let carriers: TripUpdateFeed
  /// The positions, one for each trip of ``carriers``, in the same order.
  package let positions: [VehiclePosition]

  /// The header of the feed.
  package var header: FeedHeader { carriers.header }
  /// Counts the outcome of every entity, and why some were rejected.
  package var counters: EntityCounters { carriers.counters }

  /// Reads a feed from its protobuf form.
  ///
  /// A broken entity is rejected, counted and located in ``counters``; the rest of the feed is read. Vehicles that are on
  /// no trip count as other entities.
  ///
  /// - Throws: If the outer structure is broken, the header is missing, or a limit of the whole feed is exceeded; the
  ///   error says where.
  package init(
    protobuf bytes: [UInt8],
    limits: RealtimeLimits = .standard
  ) throws(RealtimeError) {
    self = try RealtimeError.reading(bytes) { (buffer) throws(RealtimeError) in
      try TripUpdateReader.readPositions(buffer, limits: limits)
    }
  }

  init(carriers: TripUpdateFeed, positions: [VehiclePosition]) {
    self.carriers = carriers
    self.positions = positions
  }
}
