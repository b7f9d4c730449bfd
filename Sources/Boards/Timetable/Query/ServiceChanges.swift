import GTFS

/// What passengers lose when one timetable replaces another: departures by line, station and day.
package struct ServiceChanges: Codable, Hashable, Sendable {
  /// The days that are compared, from the first one on.
  package static let comparedDays = 14
  /// The lines, and likewise the stations, that are named; all of them are counted.
  package static let mostNamed = 20
  /// How far apart the two places of one station may be, in meters.
  package static let sameStationMeters = 2_000.0
  /// With how many stations of its name within about ``sameStationMeters`` squared a station is compared to find it again.
  package static let mostNamesakes = 32
  /// From which change of the mean instant on departures count as lost, in seconds: less than an hour, so that an hour
  /// counts whatever else was retimed, and more than an ordinary new timetable changes.
  static let movedSeconds: Int64 = 3_300
  /// Departures before this time of a service day are compared as those of the night before, in seconds: some feeds say
  /// 25:00, others 1:00 of the next day.
  static let nightSeconds: Int64 = 14_400
  /// The length of a degree of latitude.
  static let metersPerDegree = 111_195.0

  /// A line that loses departures.
  package struct Line: Codable, Hashable, Sendable {
    /// route_short_name, else route_long_name, else route_id.
    package var name: String
    /// The departures at all stations before.
    package var before: Int
    /// How many of them are lost.
    package var lost: Int
    /// The days on which the line ran before, as days since 1970-01-01.
    package var ranOn: [Int]
    /// The days of those on which it no longer runs.
    package var goneOn: [Int]

    /// Describes a line.
    package init(name: String, before: Int, lost: Int, ranOn: [Int], goneOn: [Int]) {
      self.name = name
      self.before = before
      self.lost = lost
      self.ranOn = ranOn
      self.goneOn = goneOn
    }
  }

  /// A station that loses departures.
  package struct Station: Codable, Hashable, Sendable {
    /// stop_name.
    package var name: String
    /// The departures before.
    package var before: Int
    /// How many of them are lost.
    package var lost: Int
    /// Whether the new timetable has no such station.
    package var isGone: Bool

    /// Describes a station.
    package init(name: String, before: Int, lost: Int, isGone: Bool) {
      self.name = name
      self.before = before
      self.lost = lost
      self.isGone = isGone
    }
  }

  /// The first day compared, as days since 1970-01-01.
  package var firstDay: Int
  /// The departures before and after, of all lines at all stations.
  package var before = 0
  /// See ``before``.
  package var after = 0
  /// Departures that are lost: the sum of the losses of each line at each station on each day.
  package var lost = 0
  /// Those of them that the new timetable has at another time of the day; `nil` if none is, and in files of programs
  /// that did not compare times.
  package var moved: Int?
  /// How many lines lose departures.
  package var losingLines = 0
  /// How many stations lose departures.
  package var losingStations = 0
  /// The lines that lose most, at most ``mostNamed``.
  package var lines: [Line] = []
  /// The stations that lose most, at most ``mostNamed``.
  package var stations: [Station] = []

  /// The share of the departures that is lost, 0 to 1; 0 if there were no departures.
  package var lostShare: Double { before == 0 ? 0 : Double(lost) / Double(before) }

  /// Creates changes without losses.
  package init(firstDay: Int) { self.firstDay = firstDay }
}

extension ServiceChanges {
  /// The changes in sentences, one a line: the share, the lines and then the stations that lose most.
  package var sentences: [String] {
    let days =
      "\(ServiceDate(daysSinceEpoch: firstDay)) and the \(Self.comparedDays - 1) days after"
    guard before > 0 else { return ["Nothing to compare: no departures on \(days)."] }
    guard lost > 0 else { return ["No departure of any line is lost (\(days))."] }
    var text = [
      "\(Self.percent(lostShare)) of \(before) departures lost (\(days)); \(after) afterwards."
    ]
    if let movedSentence { text.append(movedSentence) }
    text += lines.map(\.sentence)
    if losingLines > lines.count { text.append("… and \(losingLines - lines.count) more lines.") }
    text += stations.map { station in
      let share = Double(station.lost) / Double(max(station.before, 1))
      let name = Self.shown(station.name)
      if station.isGone { return "stop \(name) gone (\(station.before) departures)" }
      return "stop \(name): \(Self.percent(share)) of its departures lost"
    }
    if losingStations > stations.count {
      text.append("… and \(losingStations - stations.count) more stops.")
    }
    return text
  }

  /// How many departures are at another time of the day, and what is likely wrong; `nil` if none is.
  package var movedSentence: String? {
    guard let moved, moved > 0 else { return nil }
    let verb = moved == 1 ? "leaves" : "leave"
    return "\(moved) of them \(verb) about an hour or more earlier or later:"
      + " check agency_timezone and the times"
  }

  /// A share as a percentage with one decimal.
  package static func percent(_ share: Double) -> String {
    let tenths = (share * 1_000).rounded() / 10
    return (share > 0 && tenths == 0 ? "< 0.1" : "\(tenths)") + " %"
  }

  /// The longest name in a sentence, in characters.
  static let longestName = 80

  /// A name as sentences show it.
  package static func shown(_ name: String) -> String {
    name.count <= longestName ? name : name.prefix(longestName) + "…"
  }
}

extension ServiceChanges.Line {
  private static let weekdays = [
    "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays",
  ]

  /// The loss in words, such as `line 42 gone on Sundays`.
  package var sentence: String {
    let name = "line " + ServiceChanges.shown(name)
    let share = Double(lost) / Double(max(before, 1))
    guard !goneOn.isEmpty else {
      return "\(name): \(ServiceChanges.percent(share)) of its departures lost"
    }
    guard goneOn.count < ranOn.count else { return "\(name) gone (\(before) departures)" }
    func weekday(_ day: Int) -> Int { ServiceDate(daysSinceEpoch: day).weekday }
    let gone = Set(goneOn.map(weekday))
    let isWeekly = Set(ranOn.filter { gone.contains(weekday($0)) }) == Set(goneOn)
    if isWeekly {
      return "\(name) gone on " + gone.sorted().map { Self.weekdays[$0] }.joined(separator: ", ")
    }
    let days = goneOn.map { ServiceDate(daysSinceEpoch: $0).description }
    return "\(name) gone on " + days.joined(separator: ", ")
  }
}
