import Foundation
import Testing
import Timetable

@testable import StationboardServer

/// The goldens of the research on the seed's search (§5.7, §8.2), on the sample network.
@Suite struct StopSearchTests {
  private func find(_ query: String, limit: Int = 10) async throws -> [String] {
    let search = StopSearch(feeds: try SampleFeed.store().feeds)
    return try await search.find(query, limit: limit).map { result in
      String(decoding: result.feed.timetable.name(of: result.stop), as: UTF8.self)
    }
  }

  @Test(arguments: [
    ("  Genève-Bel_Air.  ", "geneve bel air"), ("St. Gallen", "saint gallen"),
    ("Zürich Hauptbahnhof", "zurich hb"), ("sr francois", "saint francois"),
    ("airport", "airport"), ("Zürich HBF", "zurich hb"), ("L’Isle", "l isle"),
    ("Straße", "strasse"), ("Cœuve", "coeuve"),
  ])
  func `names are normalised as the vectors say`(text: String, normalized: String) {
    #expect(SearchText.normalized(text) == normalized)
  }

  @Test(arguments: [
    ("Zürich", "Zürich HB"), ("Zuerich", "Zürich HB"), ("Zürich Hbf", "Zürich HB"),
    ("zurich", "Zürich HB"), ("St. Gallen", "St. Gallen"), ("St Gallen", "St. Gallen"),
    ("St-Gallen", "St. Gallen"), ("lausanne", "Lausanne"), ("geneve", "Genève"),
    ("bel air lausanne", "Lausanne, Bel-Air"), ("bel air geneve", "Genève, Bel-Air"),
    ("Lausanne, Bel-Air", "Lausanne, Bel-Air"), ("lausanne belar", "Lausanne, Bel-Air"),
    ("grande bor", "Lausanne, Grande-Borde"), ("Grande Borde", "Lausanne, Grande-Borde"),
    ("Grande-Borde", "Lausanne, Grande-Borde"), ("foret", "Lausanne, Foret"),
    ("lausanne foret", "Lausanne, Foret"), ("st francois", "Lausanne, St-François"),
    ("lausanne francois", "Lausanne, St-François"), ("sr francois", "Lausanne, St-François"),
    ("lausanne sr francois", "Lausanne, St-François"), ("Bern", "Bern"),
    ("Parent8501120", "Lausanne"), ("8501120", "Lausanne"), ("8501120:0:3", "Lausanne"),
    ("zürich hauptbanhof", "Zürich HB"), ("lausane", "Lausanne"), ("brn", "Bern"),
    ("geneva airport", "Genève-Aéroport"), ("flughafen zürich", "Zürich Flughafen"),
    ("belair geneve", "Genève, Bel-Air"), ("LAUSANNE", "Lausanne"), ("genf", "Genève"),
  ])
  func `the stop people mean comes first`(query: String, name: String) async throws {
    #expect(try await find(query).first == name)
  }

  @Test(arguments: [
    ("Zurich", 3, ["Zürich HB"]), ("geneve", 7, ["Genève", "Genève, Cornavin"]),
    ("cornavin", 1, ["Genève, Cornavin"]), ("cornavain", 3, ["Genève, Cornavin"]),
    ("bel air", 10, ["Lausanne, Bel-Air", "Genève, Bel-Air"]),
    ("bel aie", 10, ["Lausanne, Bel-Air", "Genève, Bel-Air"]),
    ("Bern", 3, ["Bern", "Bern, Bahnhof", "Bern, Bundesplatz"]),
    ("poterie", 1, ["Genève, Poterie"]), ("ge", 10, ["Genève"]),
  ])
  func `they are among the first`(query: String, count: Int, names: [String]) async throws {
    let found = try await find(query).prefix(count)
    for name in names { #expect(found.contains(name), "\(query): \(found)") }
  }

  @Test func `bel air and bel-air find the same`() async throws {
    #expect(try await find("Bel Air") == (try await find("Bel-Air")))
  }

  @Test func `each station appears once`() async throws {
    for query in ["Bern", "Lausanne", "Genève", "bel air"] {
      let found = try await find(query, limit: 50)
      #expect(Set(found).count == found.count)
    }
  }

  @Test func `noise does not come second`() async throws {
    let found = try await find("lausanne st francois")
    #expect(found.first == "Lausanne, St-François")
    #expect(!found.contains("Sainte-Florine, Place François"))
  }

  @Test func `nothing answers nonsense`() async throws {
    #expect(try await find("qqqqzzzzxxxx").isEmpty)
  }

  @Test func `nearby stops come nearest first`() async throws {
    let search = StopSearch(feeds: try SampleFeed.store().feeds)
    let found = try await search.nearby(latitude: 46.517, longitude: 6.629, limit: 20)
    #expect(found.count == 20)
    let distances = found.compactMap(\.distance)
    #expect(distances == distances.sorted())
    #expect(
      found.first.map { $0.feed.publicId($0.feed.timetable.id(of: $0.stop)) } == "Parent8501120"
    )
  }

  @Test func `nearby looks over the date line and around the poles`() async throws {
    let feed = NSTemporaryDirectory() + "freshet-edges-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: feed, withIntermediateDirectories: true)
    for (name, text) in [
      ("agency.txt", "agency_id,agency_name,agency_url,agency_timezone\na,A,http://a,UTC\n"),
      (
        "stops.txt",
        "stop_id,stop_name,stop_lat,stop_lon\neast,East,0,179.999\nnorth,North,89.9,10\n"
      ),
      ("routes.txt", "route_id,agency_id,route_short_name,route_type\nr,a,1,3\n"),
      ("trips.txt", "route_id,service_id,trip_id\nr,s,t\n"),
      (
        "stop_times.txt",
        "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
          + "t,08:00:00,08:00:00,east,1\nt,09:00:00,09:00:00,north,2\n"
      ),
      ("calendar_dates.txt", "service_id,date,exception_type\ns,20261124,1\n"),
    ] { try Data(text.utf8).write(to: URL(fileURLWithPath: feed + "/" + name)) }
    let folder = DataFolder(path: feed + "/data")
    try SampleFeed.importFeed(from: feed, into: folder)
    let search = StopSearch(feeds: try SampleFeed.store(folder).feeds)
    #expect(try await search.nearby(latitude: 0, longitude: -179.9995, limit: 5).count == 1)
    #expect(try await search.nearby(latitude: 89.9, longitude: 100, limit: 5).count == 1)
    #expect(try await search.nearby(latitude: 45, longitude: 0, limit: 5).isEmpty)
  }

  @Test func `an edit is an added, dropped, changed or swapped letter`() {
    let word = Array("lausanne".utf8)
    for other in ["lausannee", "lausane", "lausanme", "lausnane"] {
      #expect(EditDistance.between(word, Array(other.utf8), limit: 2) == 1)
    }
    #expect(EditDistance.between(word, Array("geneve".utf8), limit: 2) == nil)
  }
}
