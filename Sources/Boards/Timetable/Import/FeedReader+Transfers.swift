import GTFS

/// transfers.txt: of it, which trips passengers continue with in the same vehicle.
extension FeedReader {
  func readTransfers() throws(FeedError) {
    struct Columns {
      var stops: [Int?]
      var from: Int?
      var to: Int?
      var type: Int?
    }
    try read(.transfers) { reader in
      Columns(
        stops: [reader.column("from_stop_id"), reader.column("to_stop_id")],
        from: reader.column("from_trip_id"),
        to: reader.column("to_trip_id"),
        type: reader.column("transfer_type")
      )
    } row: { [self] reader, columns in
      for column in columns.stops {
        let id = reader.bytes(column)
        let known = find(id, in: tables.stopIds)
        if id.count > 0, known == nil {
          warn(reader, column, "\(shown(reader, column)) is not a stop")
        }
      }
      guard let type = integer(reader, columns.type), type == 4 || type == 5 else { return nil }
      var trips: [UInt32] = []
      for column in [columns.from, columns.to] {
        guard let trip = find(reader.bytes(column), in: tables.trips.ids) else {
          warn(reader, column, "\(shown(reader, column)) is not a trip; not linked")
          return nil
        }
        trips.append(trip)
      }
      guard tables.links.count < FeedLimits.entities else {
        warn(reader, columns.from, "more than \(FeedLimits.entities) linked trips; not linked")
        return nil
      }
      tables.links.append(TripLink(from: trips[0], to: trips[1], isInSeat: type == 4))
      return nil
    }
  }
}
