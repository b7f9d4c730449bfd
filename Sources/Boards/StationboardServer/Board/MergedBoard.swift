import GTFS
import Serving
import Timetable

/// A board: the departures of a stop in a window, as timetable and realtime have them together.
///
/// A row is on the board while its effective departure (predicted, else scheduled) is at or after now
/// minus ``BoardLimits/grace`` and before the window's end. Order: effective departure, scheduled
/// departure, trip id, stop sequence.
struct MergedBoard: Sendable {
  let request: BoardRequest
  /// The service clock, in seconds since 1970-01-01T00:00:00Z.
  let now: Double
  /// The instant the board is of, likewise.
  let instant: Double
  /// The realtime data the board was made with; `nil` if its timetable has none.
  let realtime: RealtimeIndex?
  /// Where vehicles are; `nil` if nothing is known for the timetable.
  let vehicles: VehicleIndex?
  /// Whether a vehicle is not shown because it was seen too long ago.
  let hidesVehicles: Bool
  /// The thresholds the rows' freshness was judged with.
  let decay: RealtimeDecay
  /// The departures.
  let rows: [BoardRow]
  /// Why the list is empty.
  let noService: NoService?
  /// Rows of which realtime says something.
  let appliedCount: Int
  /// How many rows carry realtime, of those that could; `nil` without realtime.
  let coverage: BoardCoverage?
  /// The least fresh realtime of the rows; `nil` if none has any.
  let worstFreshness: RealtimeFreshness?
  /// The freshest realtime of the rows; `nil` if none has any.
  let freshest: RealtimeFreshness?

  /// Queries timetable and realtime.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - now: The service clock, in seconds since 1970-01-01T00:00:00Z.
  ///   - realtime: The realtime of the feed that the stop belongs to; one of another timetable, an
  ///     older import for example, is not used.
  ///   - vehicles: Where vehicles are; of another timetable they are not used.
  ///   - decay: When realtime ages.
  init(
    request: BoardRequest,
    now: Double,
    realtime: RealtimeIndex?,
    vehicles: VehicleIndex? = nil,
    decay: RealtimeDecay = .standard
  ) {
    self.request = request
    self.now = now
    self.decay = decay
    instant = request.instant ?? now
    let timetable = request.stop.feed.timetable
    let index = realtime.flatMap { $0.timetable === timetable ? $0 : nil }
    self.realtime = index
    let window = Self.window(instant, minutes: request.window)
    var rows = Self.rows(request, window, timetable, index, now: now, decay)
    var hidesVehicles = false
    let vehicles = vehicles.flatMap { $0.timetable === timetable ? $0 : nil }
    self.vehicles = vehicles
    if let vehicles {
      for place in rows.indices {
        guard let vehicle = RowVehicle(rows[place], index, vehicles) else { continue }
        // Where a vehicle was long ago says nothing.
        if decay.freshness(age: now - Double(vehicles.vehicles[vehicle.number].seenAt)) == .stale {
          hidesVehicles = true
        } else {
          rows[place].vehicle = vehicle
        }
      }
    }
    self.rows = rows
    self.hidesVehicles = hidesVehicles
    var applied = 0
    var worst: RealtimeFreshness?
    var freshest: RealtimeFreshness?
    for row in rows where row.hasRealtime {
      applied += 1
      if let freshness = row.freshness {
        worst = max(worst ?? freshness, freshness)
        freshest = min(freshest ?? freshness, freshness)
      }
    }
    appliedCount = applied
    coverage = if let index { BoardCoverage(rows, index.counters, now: now) } else { nil }
    worstFreshness = worst
    self.freshest = freshest
    noService =
      rows.isEmpty ? NoService(request.stop, timetable, window.from, window.until) : nil
  }

  /// The instants a board covers: departures at or after 45 s before now, and before its end.
  static func window(_ instant: Double, minutes: Int) -> (from: Int64, until: Int64) {
    // Departures are at whole seconds; the first one not too old is the next whole second.
    let from = (instant - Double(BoardLimits.grace)).rounded(.up)
    let until = (instant + Double(minutes * 60)).rounded(.up)
    return (Int64(from), Int64(until))
  }

  /// The instants the board covers, for the answer.
  var window: (from: Int64, until: Int64) {
    Self.window(instant, minutes: request.window)
  }

  private static func rows(
    _ request: BoardRequest,
    _ window: (from: Int64, until: Int64),
    _ timetable: Timetable,
    _ index: RealtimeIndex?,
    now: Double,
    _ decay: RealtimeDecay
  ) -> [BoardRow] {
    let stop = request.stop.stop
    // A stop without realtime data is queried as if realtime were off.
    guard let index, index.version(of: Int(stop)) != 0 else {
      return timetable.departures(
        at: stop,
        from: window.from,
        until: window.until,
        limit: request.limit
      )
      .map { BoardRow($0) }
    }
    var touched = index.rows(
      at: stop,
      from: window.from,
      until: window.until,
      limit: request.limit
    )
    // A departure after the last of as many rows as the limit allows is not on the board.
    let isFull = touched.count >= request.limit
    let latest = isFull ? touched.last.map { $0.effective + 1 } : nil
    let untouched = timetable.departures(
      at: stop,
      from: window.from,
      until: min(latest ?? window.until, window.until),
      limit: request.limit,
      excluding: { trip, day in index.touches(trip, day: day) }
    )
    for place in touched.indices {
      guard let source = touched[place].sourceTime else { continue }
      touched[place].freshness = decay.freshness(age: now - Double(source))
    }
    let order = RowOrder(timetable: timetable, realtime: index)
    order.sort(&touched)
    return order.merged(untouched, touched, limit: request.limit)
  }
}

/// Why a board is empty.
struct NoService: Sendable {
  enum Reason: String, Sendable, CaseIterable {
    /// Nothing departs in the window; something does at another time.
    case noServiceInTimeWindow = "no_service_in_time_window"
    /// The timetable has no departure of this stop on any day.
    case stopHasNoDepartures = "stop_has_no_departures"
    /// The timetable does not reach to this day: whether anything runs is not known.
    case outsideFeedValidity = "outside_feed_validity"
  }

  var reason: Reason
  /// The next departure that the timetable has.
  var next: Int64?

  /// Finds out why nothing departs in a window.
  init(
    _ stop: StopResolver.Resolved,
    _ timetable: Timetable,
    _ from: Int64,
    _ until: Int64
  ) {
    guard timetable.departureCount(of: stop.stop) > 0 else {
      reason = .stopHasNoDepartures
      return
    }
    next = timetable.nextDeparture(at: stop.stop, after: until)
    let isOutside =
      from > Self.end(of: timetable) || until <= timetable.starts(of: timetable.firstDay).lowerBound
    reason = isOutside ? .outsideFeedValidity : .noServiceInTimeWindow
  }

  /// The last instant that a timetable covers, in seconds since 1970-01-01T00:00:00Z.
  static func end(of timetable: Timetable) -> Int64 {
    timetable.starts(of: timetable.lastDay).upperBound + Int64(timetable.metadata.latestTime)
  }
}
