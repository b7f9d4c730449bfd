import FeedSimulation
import GTFS
import Timetable

/// What boards are to show, by the world alone: its truth at the source times of the publications in use,
/// and the one rule by which a publication is not the whole truth (realtime-semantics.md, "Age").
struct StormGroundTruth {
  let world: FeedWorld
  /// The source time of the publication in use; `nil` before the first.
  private(set) var inUse: Int64?
  /// Whether the publication in use has no entities at all.
  private var isBare = false
  /// The publication in use before it, if runs that it had and this one lacks are kept.
  private var kept: (time: Int64, isBare: Bool)?
  private var gap: Int64?

  init(_ world: FeedWorld) { self.world = world }

  /// The source times of the publications that boards may show something of.
  var times: [Int64] { [inUse, kept?.time].compactMap(\.self) }

  /// The longest gap, in seconds, and the most multiples of the gap before, across which runs are kept.
  private static let longestGap: Int64 = 300
  private static let mostGaps: Int64 = 2

  /// Another publication is in use.
  mutating func record(_ sourceTime: Int64, isBare: Bool = false) {
    guard let before = inUse else {
      inUse = sourceTime
      self.isBare = isBare
      return
    }
    let now = sourceTime - before
    let isRhythm = gap.map { now <= $0 * Self.mostGaps } ?? true
    kept = now > 0 && now <= Self.longestGap && isRhythm ? (before, self.isBare) : nil
    gap = now
    inUse = sourceTime
    self.isBare = isBare
  }

  /// A departure, and whether and where boards show it.
  private struct Entry {
    var run: TripRun
    var isExtra: Bool
    var effective: Int64
    var stops: [Timetable.Stop]
    /// Nothing for what is not to be shown.
    var row: StormBoard.Row?
  }

  /// The rows of a board in the order of their descriptions.
  ///
  /// - Parameters:
  ///   - stop: A station, or one of its platforms.
  ///   - now: The service clock, in milliseconds since 1970-01-01T00:00:00Z.
  ///   - window: Minutes.
  /// - Returns: The rows.
  func rows(at stop: Timetable.Stop, now: Int64, window: Int) -> [StormBoard.Row] {
    let from = Self.dividedUp(now - FeedWorld.grace * 1_000)
    let until = Self.dividedUp(now + Int64(window) * 60_000)
    let station = world.timetable.station(of: stop)
    let time = isBare ? nil : inUse
    var entries = entries(at: station, of: time, from: from, until: until)
    if let kept, !kept.isBare {
      let before = self.entries(at: station, of: kept.time, from: from, until: until)
      var lost = LostRuns(world: world, time: time, before: kept.time)
      entries = entries.filter { !lost.contains($0.run, $0.isExtra) }
      var ended: Set<TripRun> = []
      for var entry in before where lost.contains(entry.run, entry.isExtra) {
        let phase = world.state(of: entry.run, at: kept.time).phase
        if !entry.isExtra, phase == .deleted || entry.row?.reason == "CANCELED_TRIP" {
          // That a trip does not run ends when the feed no longer says it.
          ended.insert(entry.run)
          continue
        }
        if entry.row?.reason == "SKIPPED_STOP" {
          entry.row?.isCancelled = false
          entry.row?.reason = nil
        }
        entries.append(entry)
      }
      entries += self.entries(at: station, of: nil, from: from, until: until)
        .filter { ended.contains($0.run) }
    }
    return entries.filter { (from..<until).contains($0.effective) }
      .filter { stop == station || $0.stops.contains(stop) }
      .compactMap(\.row).sorted { "\($0)" < "\($1)" }
  }

  private static func dividedUp(_ milliseconds: Int64) -> Int64 { (milliseconds + 999) / 1_000 }

  /// The runs that one publication lacks and the one before it had.
  private struct LostRuns {
    let world: FeedWorld
    let time: Int64?
    let before: Int64
    private var runs: [TripRun: Bool] = [:]
    private var extras: [TripRun: Bool] = [:]

    init(world: FeedWorld, time: Int64?, before: Int64) {
      self.world = world
      self.time = time
      self.before = before
    }

    mutating func contains(_ run: TripRun, _ isExtra: Bool) -> Bool {
      if let known = isExtra ? extras[run] : runs[run] { return known }
      let isLost = isExtra ? isLostExtra(run) : isLostRun(run)
      if isExtra { extras[run] = isLost } else { runs[run] = isLost }
      return isLost
    }

    private func isLostRun(_ run: TripRun) -> Bool {
      let phase = time.map { world.state(of: run, at: $0).phase } ?? .unreported
      return phase == .unreported && world.state(of: run, at: before).phase != .unreported
    }

    private func isLostExtra(_ run: TripRun) -> Bool {
      func isThere(_ time: Int64) -> Bool {
        world.extra(besides: run, at: time)?.state.phase == .extra
      }
      return !(time.map { isThere($0) } ?? false) && isThere(before)
    }
  }

  /// The departures of a publication, or of the timetable alone.
  private func entries(
    at station: Timetable.Stop,
    of time: Int64?,
    from: Int64,
    until: Int64
  ) -> [Entry] {
    let timetable = world.timetable
    guard let time else {
      return timetable.departures(at: station, from: from, until: until, limit: .max)
        .map { departure in
          let trip = departure.trip
          return Entry(
            run: TripRun(trip: trip, day: ServiceDate(daysSinceEpoch: departure.day)),
            isExtra: false,
            effective: departure.time,
            stops: [departure.stop],
            row: row(
              String(decoding: timetable.tripId(of: trip), as: UTF8.self),
              departure.stop,
              timetable.call(departure.position, of: trip).sequence,
              scheduled: departure.time
            )
          )
        }
    }
    return world.departures(at: station, at: time, window: until - time).map { departure in
      Entry(
        run: departure.run,
        isExtra: departure.isExtra,
        effective: departure.effectiveDeparture,
        stops: [departure.stop, departure.truth.newPlatform].compactMap(\.self),
        row: row(departure, at: time)
      )
    }
  }

  private func row(
    _ tripID: String,
    _ stop: Timetable.Stop,
    _ sequence: UInt32,
    scheduled: Int64?
  ) -> StormBoard.Row {
    StormBoard.Row(
      tripID: tripID,
      stopID: String(decoding: world.timetable.id(of: stop), as: UTF8.self),
      sequence: Int(sequence),
      scheduled: scheduled,
      predicted: nil,
      delay: nil,
      isCancelled: false,
      reason: nil,
      platform: world.timetable.platform(of: stop),
      previousPlatform: nil,
      isExtra: false
    )
  }

  /// The row that a correct board shows; `nil` if it shows none.
  private func row(_ departure: DepartureGroundTruth, at time: Int64) -> StormBoard.Row? {
    let truth = departure.truth
    // A replacement has the stops it names, and no others.
    let isReplaced =
      !departure.isExtra && truth.status == .skipped
      && world.state(of: departure.run, at: time).phase == .replaced
    guard truth.status != .deleted, !isReplaced else { return nil }
    var row = row(
      departure.tripID,
      departure.stop,
      departure.sequence,
      scheduled: departure.isPlanned ? departure.scheduledDeparture : nil
    )
    row.isExtra = departure.isExtra
    if let platform = truth.newPlatform {
      row.previousPlatform = row.platform
      row.platform = world.timetable.platform(of: platform)
    }
    switch truth.status {
    case .served:
      row.predicted = truth.departure
      row.delay = departure.isPlanned ? truth.departureDelay.map { Int($0) } : nil
    case .skipped:
      row.isCancelled = true
      row.reason = "SKIPPED_STOP"
      row.delay = departure.carriedDelay.map { Int($0) }
      row.predicted = departure.carriedDelay.map { departure.scheduledDeparture + Int64($0) }
    case .cancelled:
      row.isCancelled = true
      row.reason = "CANCELED_TRIP"
    case .unreported, .noData, .deleted: break
    }
    return row
  }
}
