import SampleNetwork
import Testing

/// The identifiers of one feed, and whether they lead somewhere.
@Suite struct ReferenceTests {
  private let feed: WrittenFeed

  init() throws {
    let day = try #require(SampleDay("20261124"))
    self.feed = try WrittenFeed(.init(stops: 400, stopTimes: 15_000, day: day))
  }

  @Test(arguments: [
    ("agency", "agency_id"), ("stops", "stop_id"), ("routes", "route_id"), ("trips", "trip_id"),
    ("trips", "original_trip_id"), ("calendar", "service_id"),
  ])
  func `identifiers are given once`(file: String, column: String) throws {
    let values = try self.feed.table(file).column(column)
    #expect(Set(values).count == values.count)
  }

  @Test(arguments: [
    ("routes", "agency_id", "agency", "agency_id"), ("trips", "route_id", "routes", "route_id"),
    ("stop_times", "trip_id", "trips", "trip_id"), ("stop_times", "stop_id", "stops", "stop_id"),
    ("frequencies", "trip_id", "trips", "trip_id"),
    ("transfers", "from_stop_id", "stops", "stop_id"),
    ("transfers", "to_stop_id", "stops", "stop_id"),
    ("stops", "parent_station", "stops", "stop_id"),
    ("translations", "record_id", "stops", "stop_id"), ("routes", "route_id", "trips", "route_id"),
    ("trips", "trip_id", "stop_times", "trip_id"),
  ])
  func `references lead somewhere`(
    file: String,
    column: String,
    target: String,
    targetColumn: String
  ) throws {
    let known = Set(try self.feed.table(target).column(targetColumn))
    let used = Set(try self.feed.table(file).column(column)).subtracting([""])
    #expect(used.subtracting(known).isEmpty)
  }

  @Test func `trips run on services that the calendar has and that run some day`() throws {
    let used = Set(try self.feed.table("trips").column("service_id"))
    let dates = try self.feed.table("calendar_dates")
    let added = Set(
      zip(try dates.column("service_id"), try dates.column("exception_type"))
        .filter { $1 == "1" }.map(\.0)
    )
    let calendar = try self.feed.table("calendar")
    let weekly = Set(
      zip(try calendar.column("service_id"), calendar.rows)
        .filter { $1[1...7].contains("1") }.map(\.0)
    )
    #expect(used == weekly.union(added))
    #expect(!added.subtracting(try calendar.column("service_id")).isEmpty)
    let christmas = dates.rows.filter { $0[1] == "20261225" }.map { $0[2] }
    #expect(christmas.contains("1") && christmas.contains("2"))
  }

  @Test func `the rare cases are there`() throws {
    let routes = try self.feed.table("routes")
    let types = Set(try routes.column("route_type"))
    #expect(types == ["102", "103", "106", "109", "401", "700", "900", "1000", "1400"])
    let unnamed = routes.rows.filter { $0[2].isEmpty }
    #expect(unnamed.map { $0[0] } == ["92-N5-D-j26-1"])
    #expect(try routes.column("route_color").contains(""))
    #expect(Set(try self.feed.table("frequencies").column("exact_times")) == ["0", "1"])
    let times = try self.feed.table("stop_times")
    #expect(Set(try times.column("pickup_type")) == ["0", "1"])
    #expect(try times.column("stop_headsign").contains("Lausanne, gare"))
    #expect(try self.feed.table("trips").column("block_id").contains { !$0.isEmpty })
  }

  @Test func `every stop is served`() throws {
    let stops = try self.feed.table("stops")
    let parents = Dictionary(
      uniqueKeysWithValues: zip(try stops.column("stop_id"), try stops.column("parent_station"))
    )
    let served = try self.feed.table("stop_times").column("stop_id").map { identifier in
      parents[identifier].flatMap { $0.isEmpty ? nil : $0 } ?? identifier
    }
    let wanted = parents.filter { $0.value.isEmpty }.keys
    #expect(Set(wanted) == Set(served))
  }

  @Test func `the real stops come first, each with departures`() throws {
    let stops = try self.feed.table("stops")
    let names = zip(try stops.column("stop_id"), try stops.column("stop_name")).map {
      "\($0) \($1)"
    }
    #expect(names[0] == "Parent8501120 Lausanne")
    #expect(Set(RealStops.all).subtracting(names).isEmpty)
    let times = try self.feed.table("stop_times")
    let pickups = zip(try times.column("stop_id"), try times.column("pickup_type"))
    let boarded = Set(pickups.filter { $1 == "0" }.map { $0.0.prefix { $0 != ":" } })
    for stop in RealStops.all {
      let number = stop.prefix { $0 != " " }.drop { !$0.isNumber }
      #expect(boarded.contains(number), "\(stop)")
    }
  }
}
