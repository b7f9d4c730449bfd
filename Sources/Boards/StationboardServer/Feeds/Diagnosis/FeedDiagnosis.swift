package import GTFS
package import Timetable

/// What would serve of a feed, what would not and why, in words of passengers.
package struct FeedDiagnosis: Codable, Hashable, Sendable {
  /// How much a finding matters.
  package enum Weight: String, Codable, Hashable, Sendable {
    /// Nothing of the feed serves.
    case refused
    /// Passengers miss something that the feed means to offer.
    case lost
    /// Worth knowing; nothing is lost by it.
    case noted
  }

  /// One thing that was found.
  package struct Finding: Codable, Hashable, Sendable {
    /// How much it matters.
    package var weight: Weight
    /// What it means, in one sentence.
    package var sentence: String
    /// Names, or sentences about rows.
    package var details: [String] = []
    /// Whether the details are names or dates, which a line can have many of.
    package var areNames = false
    /// How many more details there are.
    package var more = 0

    init(_ weight: Weight, _ sentence: String, _ details: [String] = [], of count: Int? = nil) {
      self.weight = weight
      self.sentence = sentence
      self.details = details
      more = max(0, (count ?? details.count) - details.count)
    }

    init(_ weight: Weight, _ sentence: String, names: [String], of count: Int) {
      self.init(weight, sentence, names, of: count)
      areNames = true
    }
  }

  /// A realtime source and how it fits.
  package struct Realtime: Codable, Hashable, Sendable {
    /// Its address or path, without what may be secret.
    package var source: String
    /// Whether it is usable and fits.
    package var isGood: Bool
    /// What was found, one sentence each.
    package var sentences: [String]
  }

  /// The timetable's days, contents and texts.
  package struct Facts: Codable, Hashable, Sendable {
    /// agency_name of every agency, at most ``ServiceSummary/mostNamed``.
    package var agencies: [String]
    /// agency_timezone of the agencies, each once, with commas between them.
    package var timeZone: String
    /// feed_version.
    package var version: String?
    /// The first and last day of service, `YYYY-MM-DD`.
    package var serviceFrom: String
    package var serviceUntil: String
    /// Trips, each run of a frequency counted.
    package var trips: Int
    /// What passengers are offered in the next days.
    package var service: ServiceSummary
  }

  /// The feed's path or address.
  package var feed: String
  /// What is in it; `nil` if nothing serves.
  package var facts: Facts?
  /// What was found, what matters most first.
  package var findings: [Finding]
  /// The realtime sources.
  package var realtime: [Realtime] = []

  /// Whether passengers lose nothing and all realtime fits.
  package var isGood: Bool {
    findings.allSatisfy { $0.weight == .noted } && realtime.allSatisfy(\.isGood)
  }

  /// The verdict in one sentence.
  package var verdict: String {
    if findings.contains(where: { $0.weight == .refused }) { return "Nothing of this feed serves." }
    let lost = findings.count { $0.weight == .lost }
    let unfit = realtime.count { !$0.isGood }
    if lost + unfit == 0 { return "This feed serves, and passengers lose nothing." }
    let parts = [
      lost > 0 ? "passengers lose something (\(lost))" : nil,
      unfit > 0 ? "realtime does not fit (\(unfit))" : nil,
    ]
    return "This feed serves, but " + parts.compactMap(\.self).joined(separator: ", and ") + "."
  }

  /// Describes a feed that is refused.
  package init(feed: String, refusal: FeedError) {
    self.feed = feed
    findings = [Finding(.refused, refusal.message)]
  }

  /// Describes a feed that was imported.
  ///
  /// - Parameters:
  ///   - report: The report of its import.
  ///   - timetable: Its timetable.
  ///   - now: Seconds since 1970-01-01T00:00:00Z.
  package init(_ report: ImportReport, _ timetable: Timetable, now: Double) {
    feed = report.source
    let today = ServiceDay(zone: timetable.zone).date(at: Int64(now))
    let service = ServiceSummary(of: timetable, on: today)
    facts = Facts(
      agencies: Array(timetable.agencyNames.prefix(ServiceSummary.mostNamed)),
      timeZone: (timetable.metadata.timeZones ?? [timetable.metadata.timeZone])
        .joined(separator: ", "),
      version: timetable.metadata.version,
      serviceFrom: timetable.firstDay.description,
      serviceUntil: timetable.lastDay.description,
      trips: timetable.tripCount,
      service: service
    )
    let all =
      Self.validity(timetable, service, today: today) + Self.rows(report)
      + Self.offers(report, service) + Self.notes(report, service)
    findings = all.filter { $0.weight == .lost } + all.filter { $0.weight == .noted }
  }
}

// MARK: Findings

extension FeedDiagnosis {
  private static func ago(_ days: Int) -> String { days == 1 ? "yesterday" : "\(days) days ago" }

  private static func ahead(_ days: Int) -> String {
    days == 0 ? "today" : days == 1 ? "tomorrow" : "in \(days) days"
  }

  /// Days without departures.
  private static func validity(
    _ timetable: Timetable,
    _ service: ServiceSummary,
    today: ServiceDate
  ) -> [Finding] {
    let (first, last) = (timetable.firstDay, timetable.lastDay)
    if last < today {
      let days = today.daysSinceEpoch - last.daysSinceEpoch
      return [
        Finding(
          .lost,
          "Every board is empty: the last day of service was \(last), \(Self.ago(days))."
        )
      ]
    }
    if first > today {
      let days = first.daysSinceEpoch - today.daysSinceEpoch
      return [
        Finding(
          .lost,
          "Every board is empty until \(first), the first day of service, \(Self.ahead(days))."
        )
      ]
    }
    var found: [Finding] = []
    let left = last.daysSinceEpoch - today.daysSinceEpoch
    if left < StaticFeedLimits.expiryDays {
      found.append(
        Finding(
          .lost,
          "Every board is empty after \(last), the last day of service, \(Self.ahead(left))."
        )
      )
    }
    let days = min(ServiceSummary.days, left + 1)
    let idle = service.departures.indices.filter { service.departures[$0] == 0 && $0 < days }
    if idle.count == days {
      found.append(
        Finding(
          .lost,
          "Every board is empty for \(days) days: the calendar goes on to \(last), but no trip runs."
        )
      )
    } else if !idle.isEmpty {
      found.append(
        Finding(
          .noted,
          "On \(idle.count) of the next \(days) days nothing departs:",
          names: idle.map { ServiceDate(daysSinceEpoch: service.firstDay + $0).description },
          of: idle.count
        )
      )
    }
    return found
  }

  /// Which rows are not used, and what passengers miss by it.
  private static func rows(_ report: ImportReport) -> [Finding] {
    report.files.flatMap { file -> [Finding] in
      var found: [Finding] = []
      let kind = FeedFile(rawValue: file.file)
      let copies = file.reasons.filter { $0.kind == .copy }
      let copied = copies.reduce(0) { $0 + $1.rows }
      let unusable = file.rejected - copied
      if unusable > 0 {
        let meaning = kind.flatMap { Self.losses[$0] }
        found.append(
          Finding(
            meaning == nil ? .noted : .lost,
            "\(unusable) of \(file.rows) rows of \(file.file) cannot be used"
              + (meaning.map { ": \($0)." } ?? "; boards do not need them."),
            file.reasons.filter { $0.kind != .copy }.map { "line \($0.line)\($0.sentence)" }
          )
        )
      }
      if copied > 0 {
        let subject = copied == 1 ? "row of \(file.file) repeats" : "rows of \(file.file) repeat"
        found.append(
          Finding(
            .noted,
            "\(copied) \(subject) another row exactly; nothing is lost.",
            copies.map { "line \($0.line)\($0.sentence)" }
          )
        )
      }
      if file.dropped > 0 {
        found.append(
          Finding(
            .lost,
            "\(file.dropped) rows of \(file.file) are left out with what they belong to."
          )
        )
      }
      return found
    }
  }

  /// What is missing if rows of a file are.
  private static let losses: [FeedFile: String] = [
    .agency: "operators are not named", .stops: "stops have no board", .routes: "lines are missing",
    .trips: "trips are missing", .stopTimes: "departures are missing",
    .calendar: "days of service are missing", .calendarDates: "days of service are wrong",
    .frequencies: "departures are missing", .translations: "names appear in one language only",
  ]

  /// Which lines and stations offer nothing, or lack what boards show of them.
  private static func offers(_ report: ImportReport, _ service: ServiceSummary) -> [Finding] {
    func names(_ found: ServiceSummary.Names, _ weight: Weight, _ sentence: String) -> [Finding] {
      found.count == 0 ? [] : [Finding(weight, sentence, names: found.names, of: found.count)]
    }
    let days = ServiceSummary.days
    let isIdle = service.departures.allSatisfy { $0 == 0 }
    var found = names(
      service.unusedLines,
      .noted,
      "No departure on any day: \(service.unusedLines.count) of \(service.lines) lines."
    )
    if !isIdle {
      found += names(
        service.restingLines,
        .noted,
        "No departure in the next \(days) days: \(service.restingLines.count) of \(service.lines) lines."
      )
    }
    found += names(
      service.namelessLines,
      .lost,
      "No name: \(service.namelessLines.count) of \(service.lines) lines; boards show the id."
    )
    if let nameless = report.namelessStations {
      found += names(
        nameless,
        .lost,
        "No name: \(nameless.count) of \(service.stations) stations; boards and the search show the id."
      )
    }
    found += names(
      service.unusedStations,
      .noted,
      "Boards that are always empty, since nothing departs: \(service.unusedStations.count)"
        + " of \(service.stations) stations."
    )
    if !isIdle {
      found += names(
        service.restingStations,
        .noted,
        "Boards that are empty for the next \(days) days: \(service.restingStations.count)"
          + " of \(service.stations) stations."
      )
    }
    found += names(
      service.stationsWithoutPlace,
      .lost,
      "No coordinates: \(service.stationsWithoutPlace.count) of \(service.stations) stations;"
        + " the search nearby does not find them."
    )
    return found
  }

  /// What is shown in another way than the feed says, and what was odd.
  private static func notes(_ report: ImportReport, _ service: ServiceSummary) -> [Finding] {
    var found: [Finding] = []
    for file in report.files {
      if let reading = file.reading { found.append(Finding(.noted, "\(file.file): \(reading).")) }
    }
    if let encoding = report.encoding {
      found.append(
        Finding(
          .noted,
          "\(encoding.texts) texts are not UTF-8 and are read as \(encoding.name): \(encoding.reason)."
        )
      )
    }
    let onDemand = report.files.reduce(0) { $0 + $1.onDemand }
    if onDemand > 0 {
      found.append(
        Finding(
          .noted,
          "\(onDemand) stop times are on demand and on no board; stops that are served at a time are."
        )
      )
    }
    let total = service.departures.reduce(0, +)
    if service.approximate > 0 {
      let share = ServiceChanges.percent(Double(service.approximate) / Double(max(total, 1)))
      found.append(
        Finding(
          .noted,
          "\(share) of the departures have no time in the feed: boards interpolate and mark them."
        )
      )
    }
    if report.warningCount > 0 {
      let shown = report.warnings.prefix(10).map { row in
        "\(row.file):\(row.line)\(row.column.map { ", \($0)" } ?? ""): \(row.reason)"
      }
      found.append(
        Finding(
          .noted,
          "\(report.warningCount) \(report.warningCount == 1 ? "row is" : "rows are") used although something in them is wrong:",
          shown,
          of: report.warningCount
        )
      )
    }
    return found
  }
}
