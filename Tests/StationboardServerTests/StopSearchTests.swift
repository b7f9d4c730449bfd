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

  @Test func `an edit is an added, dropped, changed or swapped letter`() {
    let word = Array("lausanne".utf8)
    for other in ["lausannee", "lausane", "lausanme", "lausnane"] {
      #expect(EditDistance.between(word, Array(other.utf8), limit: 2) == 1)
    }
    #expect(EditDistance.between(word, Array("geneve".utf8), limit: 2) == nil)
  }
}
