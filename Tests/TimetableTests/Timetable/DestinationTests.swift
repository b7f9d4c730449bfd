import GTFS
import Testing
import Timetable

@Suite struct DestinationTests {
  private static let notice = String(repeating: "x", count: 81)

  /// A trip A, B, C with a headsign, on a route with or without a long name.
  private func destinations(
    headsign: String,
    stopHeadsigns: [String] = ["", "", ""],
    stops: [String] = ["A", "B", "C"],
    longName: String = ""
  ) throws -> [String] {
    var feed = TestFeed()
    feed[.stops] += [
      "S,Sion,46.2,7.3,1,,", "S1,Sion platform 1,46.2,7.3,,S,1", "Z,Zürich HB,47,8,,,",
    ]
    feed[.routes].append("Q,F,2,\(longName),3")
    feed.add(
      "T",
      zip(stops, stopHeadsigns).enumerated().map { index, call in
        .init(call.0, "08:0\(index):00", headsign: call.1)
      },
      route: "Q",
      headsign: headsign
    )
    let timetable = try feed.timetable()
    return try stops.indices.map { try timetable.destination("T", at: $0) }
  }

  @Test func `the trip's headsign is the destination`() throws {
    #expect(
      try destinations(headsign: "Somewhere", longName: "Line") == [
        "Somewhere", "Somewhere", "Somewhere",
      ]
    )
  }

  @Test func `the stop's headsign comes before the trip's`() throws {
    #expect(
      try destinations(headsign: "Chur", stopHeadsigns: ["via Bern", "", ""]) == [
        "via Bern", "Chur", "Chur",
      ]
    )
  }

  @Test func `without a headsign it is the last station, not its platform`() throws {
    #expect(try destinations(headsign: "", stops: ["A", "B", "S1"]).first == "Sion")
    #expect(
      try destinations(headsign: "", stops: ["A", "B", "S1"], longName: "Line").first == "Sion"
    )
  }

  @Test func `a headsign of more than 80 letters is a notice`() throws {
    #expect(try destinations(headsign: Self.notice).first == "Chur")
    let longest = String(Self.notice.dropLast())
    #expect(try destinations(headsign: longest).first == longest)
    let accents = String(repeating: "é", count: 80)
    #expect(try destinations(headsign: accents).first == accents)
    #expect(try destinations(headsign: accents + "é").first == "Chur")
    #expect(
      try destinations(headsign: "Somewhere", stopHeadsigns: [Self.notice, "", ""]).first == "Chur"
    )
  }

  @Test(arguments: ["Aarau", "AARAU", "aarau ", "Aaráu", "(Aarau)"])
  func `a headsign that names the board's own station gives the line's name`(
    headsign: String
  ) throws {
    #expect(
      try destinations(headsign: headsign, longName: "Ring line") == [
        "Ring line", headsign.trimmingWhitespace, headsign.trimmingWhitespace,
      ]
    )
    // Without a long name: the last station.
    #expect(try destinations(headsign: headsign).first == "Chur")
    // That ends where it begins: nothing better is known.
    #expect(
      try destinations(headsign: headsign, stops: ["A", "B", "A"]).first
        == headsign.trimmingWhitespace
    )
    #expect(
      try destinations(headsign: headsign, stops: ["A", "B", "A"], longName: "Ring line").first
        == "Ring line"
    )
  }

  @Test func `a headsign that names the board's station is seen at its platforms too`() throws {
    #expect(
      try destinations(headsign: "Sion", stops: ["S1", "B", "A"], longName: "Ring line").first
        == "Ring line"
    )
    #expect(
      try destinations(headsign: "SION platform 1", stops: ["S1", "B", "A"]).first == "Aarau"
    )
    #expect(try destinations(headsign: "Zurich HB", stops: ["Z", "B", "A"]).first == "Aarau")
  }

  @Test func `a loop without a headsign is called like its line, or its last station`() throws {
    #expect(
      try destinations(headsign: "", stops: ["A", "B", "A"], longName: "Ring line") == [
        "Ring line", "Aarau", "Ring line",
      ]
    )
    #expect(try destinations(headsign: "", stops: ["A", "B", "A"]).first == "Aarau")
    #expect(
      try destinations(headsign: Self.notice, stops: ["S1", "B", "S"], longName: "Ring").first
        == "Ring"
    )
  }

  @Test(arguments: [
    ("Lausanne, Motté", "lausanne motte"), ("  ZÜRICH   HB ", "zurich hb"),
    ("St. Gallen", "st gallen"),
    ("Genève-Aéroport", "geneve aeroport"), ("", ""), ("–", ""), ("Gleis 7½", "gleis 71 2"),
    ("Κηφισιά", "κηφισια"),
  ])
  func `names are folded to letters and digits`(name: String, expected: String) {
    #expect(PlaceName.folded(name) == expected)
  }
}

extension String {
  fileprivate var trimmingWhitespace: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
