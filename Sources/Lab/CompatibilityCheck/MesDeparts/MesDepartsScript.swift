/// The clients of MesDeparts: its web page and its iOS core; beside them its schema, its probes and our own reader.
package struct MesDepartsScript: ClientScript {
  package static let name = "mesdeparts"
  package static let settings = [
    "query": "what a person types to find the stop; lausanne",
    "stop": "the stop_id of the stop to open; the first that the search finds",
    "polls": "how often each client asks again, 0 to 1000; 3",
    "every": "the seconds between two polls of the page, 1 to 600; 15",
    "trips": "of how many rows the page opens the details, 0 to 20; 3",
    "ids": "ids that must mean one stop, with commas between them; none",
    "origin": "the origin of the page; https://mesdeparts.ch",
  ]

  /// What a person types.
  let query: String
  /// The stop to open.
  let stop: String?
  let polls: Int
  let every: Duration
  let trips: Int
  let ids: [String]
  let origin: String

  package init(_ settings: [String: String]) throws(ClientSettingError) {
    func number(
      _ name: String,
      _ range: ClosedRange<Int>,
      _ usual: Int
    ) throws(ClientSettingError) -> Int {
      guard let text = settings[name] else { return usual }
      guard let number = Int(text), range.contains(number) else {
        throw ClientSettingError(name, expected: "\(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
    query = settings["query"] ?? "lausanne"
    guard query.count >= 2 else {
      throw ClientSettingError("query", expected: "two letters or more")
    }
    stop = settings["stop"]
    polls = try number("polls", 0...1_000, 3)
    every = .seconds(try number("every", 1...600, 15))
    trips = try number("trips", 0...20, 3)
    ids = settings["ids"]?.split(separator: ",").map(String.init) ?? []
    origin = settings["origin"] ?? "https://mesdeparts.ch"
  }

  package func play(_ run: ClientRun) async {
    await MesDepartsPage(script: self, run: run).play()
    await MesDepartsCore(script: self, run: run).play()
  }
}
