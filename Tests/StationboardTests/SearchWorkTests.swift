import Foundation
import Testing
import Timetable

@testable import StationboardServer

/// What a search costs, counted: on a feed of 30,000 stops with names of made-up words.
@Suite struct SearchWorkTests {
  /// A feed whose stops have names of two words out of thousands, like those of a country.
  private static let feed = Result { () throws -> FeedStore in
    let parts = ["ber", "lau", "gen", "zur", "mont", "val", "gare", "feld", "dorf", "pont"]
    func word(_ number: Int) -> String {
      "\(parts[number % 10])\(parts[number / 10 % 10])\(parts[number / 100 % 10])"
    }
    let folder = NSTemporaryDirectory() + "freshet-words-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var stops = "stop_id,stop_name,stop_lat,stop_lon\n"
    for number in 0..<30_000 {
      stops += "s\(number),\(word(number)) \(word(number &* 7_919 / 30)),47.\(number),8.\(number)\n"
    }
    for (name, text) in [
      ("agency.txt", "agency_id,agency_name,agency_url,agency_timezone\na,A,http://a,UTC\n"),
      ("stops.txt", stops),
      ("routes.txt", "route_id,agency_id,route_short_name,route_type\nr,a,1,3\n"),
      ("trips.txt", "route_id,service_id,trip_id\nr,s,t\n"),
      (
        "stop_times.txt",
        "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
          + "t,08:00:00,08:00:00,s0,1\nt,09:00:00,09:00:00,s1,2\n"
      ),
      ("calendar_dates.txt", "service_id,date,exception_type\ns,20261124,1\n"),
    ] { try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
    let data = DataFolder(path: folder + "/data")
    try SampleFeed.importFeed(from: folder, into: data)
    return try SampleFeed.store(data)
  }

  private func search(_ query: String) async throws -> (found: Int, work: SearchWork) {
    let search = StopSearch(feeds: try Self.feed.get().feeds)
    return (try await search.find(query, limit: 50).count, search.work)
  }

  @Test(arguments: ["qxz", "qxzk", "qxzkw", "qxzkwvqxzkw", "qx"])
  func `a query without an answer costs less than one with an answer`(_ query: String) async throws
  {
    let ordinary = try await search("bernmont").work
    #expect(ordinary.names > 0)
    let (found, work) = try await search(query)
    #expect(found == 0)
    #expect(work.names <= ordinary.names)
    #expect(work.comparisons <= StopWords.mostCompared)
  }

  @Test(arguments: [
    "gaer", "brelau", "berl", "zurr", "genlauberzurmontvalgarefelddorfpontberlaugenzurmontvalgare",
    "gare pont feld dorf val mont zur gen lau ber",
  ])
  func `the work of any query is limited`(_ query: String) async throws {
    let (_, work) = try await search(query)
    #expect(work.names <= StopSearch.mostNames)
    #expect(work.comparisons <= StopWords.mostCompared)
  }

  @Test func `common groups of letters are left out, and one is always looked for`() {
    let names = (0..<30_000).map { (id: Int64($0), normalized: $0 % 100 == 0 ? "gare" : "pont") }
    let words = StopWords(names)
    #expect(words.rarestGroups(of: "gare pont") == ["are", "gar"])
    #expect(words.rarestGroups(of: "pont") == ["ont"])
    #expect(words.rarestGroups(of: "xyz po").isEmpty)
  }

  @Test func `a typing error in a short word is found without an index`() {
    let names = ["bern", "berne dorf", "gare", "thun"].enumerated()
      .map { (id: Int64($0), normalized: $1) }
    let words = StopWords(names)
    let work = SearchWork()
    func like(_ word: String) -> [Int64] { words.names(like: word, most: 10, work: work) }
    #expect(like("brn") == [0])
    #expect(like("bren") == [0])
    #expect(like("gaer") == [2])
    #expect(like("thnu") == [3])
    #expect(like("xyz").isEmpty)
    #expect(like("be").isEmpty)
    #expect(words.names(like: "bernd", most: 1, work: work) == [0])
    #expect(like("bernd") == [0, 1])
  }

  /// Compared with every name, as it was done before: nothing is missed.
  @Test func `every name that answers a short query is found`() async throws {
    let feed = try #require(try SampleFeed.store().feeds.first)
    let timetable = feed.timetable
    let names = (0..<Timetable.Stop(timetable.stopCount))
      .filter { timetable.station(of: $0) == $0 && timetable.locationType(of: $0) < 2 }
      .map { (stop: $0, text: String(decoding: timetable.name(of: $0), as: UTF8.self)) }
    for query in [
      "brn", "gaer", "thnu", "bsael", "zurih", "sionn", "nyno", "visp", "vispx", "mrges",
    ] {
      let search = StopSearch(feeds: [feed])
      let found = Set(try await search.find(query, limit: 50).map(\.stop))
      guard try await feed.stops.likely(query).isEmpty, found.count < 50 else { continue }
      let ranking = StopRanking(query: query)
      for name in names {
        let normalized = SearchText.normalized(name.text)
        let score = ranking.score(
          name: name.text,
          normalized: normalized,
          departures: 0,
          isAlias: false
        )
        if score != nil { #expect(found.contains(name.stop), "\(query): \(name.text)") }
      }
    }
  }

  @Test func `a search that is canceled ends`() async throws {
    let feeds = try Self.feed.get().feeds
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await StopSearch(feeds: feeds).find("bernmont", limit: 5).count
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `misses are remembered, some of them, and for their timetables only`() throws {
    let feeds = try Self.feed.get().feeds
    let misses = MissedSearches()
    misses.insert("qxz", in: feeds)
    #expect(misses.contains("qxz", in: feeds))
    #expect(!misses.contains("qxy", in: feeds))
    #expect(!misses.contains("qxz", in: []))
    for number in 0..<MissedSearches.most * 3 { misses.insert("\(number)", in: feeds) }
    #expect(!misses.contains("qxz", in: feeds))
    #expect(misses.contains("\(MissedSearches.most * 3 - 1)", in: feeds))
    #expect(misses.count <= 2 * MissedSearches.most)
    misses.insert("other", in: [])
    #expect(misses.count == 1)
  }
}
