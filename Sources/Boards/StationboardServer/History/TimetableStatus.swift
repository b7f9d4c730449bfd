import ConditionalHTTP
import GTFS
import Timetable

/// What the page of the status says of a timetable besides what serves.
///
/// That is what is held back and why, what waits, and how its source fares. It names no address.
struct TimetableStatus {
  /// What passengers would lose by an import.
  struct Losses: Encodable, Sendable {
    /// The departures of 14 days that serve, and how many of them the import lacks.
    var before: Int
    var lost: Int
    var lostPercent: Double
    /// How many lines and stations lose departures.
    var losingLines: Int
    var losingStations: Int
    /// The lines that lose most, at most ``HistoryLimits/namedLines``.
    var lines: [Line]
    /// The stations that lose most, at most ``HistoryLimits/namedStations``.
    var stations: [Station]
  }

  /// A line that loses departures.
  struct Line: Encodable, Sendable {
    var line: String
    var before: Int
    var lost: Int
    /// The days on which it no longer runs; empty if it runs on all.
    var goneOn: [String]
    /// Whether it runs on none.
    var isGone: Bool
  }

  /// A station that loses departures.
  struct Station: Encodable, Sendable {
    var station: String
    var before: Int
    var lost: Int
    /// Whether the import has no such station.
    var isGone: Bool
  }

  /// How the address fares that a timetable comes from.
  struct Source: Encodable, Sendable {
    /// How an address fares.
    enum State: String, Encodable, Sendable, CaseIterable {
      case ok
      /// Two checks had no usable response.
      case failing
      /// The newest file cannot be used.
      case refused
    }

    var state: State
    var checkedAt: String?
    var nextCheckAt: String?
    /// When it last answered usably.
    var answeredAt: String?
  }

  /// A check that is under way counts as a failure until it ends.
  private static let failuresBeforeWarning = 2

  let losses: Losses?
  let waitingFrom: String?
  let source: Source?

  /// Reads the status of a timetable from its data folder.
  init(of feed: Feed, _ entry: FeedManifest.Feed?, in folder: DataFolder) {
    let held = entry?.held?.generation.name
    losses = held.flatMap { folder.changes(of: feed.entry.key, generation: $0) }
      .map { Losses($0) }
    waitingFrom = entry?.waiting?.startsAt
      .map { ServiceDay(zone: feed.timetable.zone).date(at: Int64($0)).description }
    let schedule = folder.schedule(of: feed.entry.key)
    guard let checked = schedule.checkedAt else {
      source = nil
      return
    }
    let isFailing = schedule.failures >= Self.failuresBeforeWarning
    source = Source(
      state: isFailing ? .failing : schedule.refusal != nil ? .refused : .ok,
      checkedAt: InstantText.write(checked.rounded()),
      nextCheckAt: schedule.nextAt.map { InstantText.write($0.rounded()) },
      answeredAt: schedule.answeredAt.map { InstantText.write($0.rounded()) }
    )
  }
}

extension TimetableStatus.Losses {
  /// The changes as the page shows them.
  init(_ changes: ServiceChanges) {
    before = changes.before
    lost = changes.lost
    lostPercent = (changes.lostShare * 1_000).rounded() / 10
    losingLines = changes.losingLines
    losingStations = changes.losingStations
    lines = changes.lines.prefix(HistoryLimits.namedLines).map { line in
      TimetableStatus.Line(
        line: ServiceChanges.shown(line.name),
        before: line.before,
        lost: line.lost,
        goneOn: line.goneOn.map { ServiceDate(daysSinceEpoch: $0).description },
        isGone: line.goneOn.count == line.ranOn.count
      )
    }
    stations = changes.stations.prefix(HistoryLimits.namedStations).map { station in
      TimetableStatus.Station(
        station: ServiceChanges.shown(station.name),
        before: station.before,
        lost: station.lost,
        isGone: station.isGone
      )
    }
  }
}
