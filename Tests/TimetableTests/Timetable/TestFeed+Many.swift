import GTFS

extension TestFeed {
  /// A feed with many kinds of trips (loops, untimed stops, gaps in the numbering, headsigns) that
  /// leaves no section of its timetable file empty.
  static var manyTrips: TestFeed {
    var feed = TestFeed()
    feed[.stops] += ["S,Sion,46.2,7.3,1,,", "S1,,46.2,7.3,,S,1", "S2,,46.2,7.3,,S,2"]
    feed[.stops] += ["8501120,Lausanne,46.5,6.6,,,", "8501121,Renens,46.5,6.6,,,"]
    feed[.stops] = feed[.stops].enumerated().map { index, line in
      line + (index == 0 ? ",original_stop_id" : ",o\(index)")
    }
    feed[.translations] = [
      "table_name,field_name,language,translation,field_value", "stops,stop_name,fr,Berne,Bern",
      "stops,stop_name,it,Berna,Bern", "stops,stop_name,fr,Coire,Chur",
    ]
    let stops = ["A", "B", "C", "D", "E", "S1", "S2"]
    for trip in 0..<60 {
      let count = 2 + trip % 6
      let start = 5 * 3600 + trip * 1_271
      feed.add(
        "T\(trip * 7 % 60)",
        (0..<count).map { index in
          let isTimed = index == 0 || index == count - 1 || (trip + index) % 3 > 0
          let time = TimeOfDay.text(start + index * (300 + trip % 4 * 60))
          return TestFeed.Call(
            stops[(trip + index * (1 + trip % 3)) % stops.count],
            isTimed ? time : "",
            pickup: (trip * index) % 11 == 7 ? "1" : "",
            headsign: (trip + index) % 9 == 0 ? "via \(index)" : "",
            sequence: index * (1 + trip % 3) + trip % 2
          )
        },
        service: trip % 4 == 0 ? "weekdays" : "daily",
        headsign: trip % 5 == 0 ? "" : "To \(trip % 5)"
      )
    }
    // Every other trip is linked to another one.
    feed[.transfers] =
      ["from_trip_id,to_trip_id,transfer_type"]
      + stride(from: 0, to: 60, by: 2).map { "T\($0),T\(($0 + 7) % 60),4" }
    return feed
  }
}
