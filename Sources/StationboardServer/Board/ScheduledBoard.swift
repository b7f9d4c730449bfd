import GTFS
import Serving
import Timetable

/// A board: the departures of a stop in a window, as the timetable has them.
struct ScheduledBoard {
  let request: BoardRequest
  /// The instant the board is of, in seconds since 1970-01-01T00:00:00Z.
  let instant: Double
  let departures: [ScheduledDeparture]
  /// Why there are none.
  let noService: NoService?

  /// Why a board is empty.
  struct NoService {
    enum Reason: String {
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
  }

  /// Queries the timetable.
  ///
  /// - Parameters:
  ///   - request: What was asked.
  ///   - now: The service clock, in seconds since 1970-01-01T00:00:00Z.
  init(_ request: BoardRequest, now: Double) {
    self.request = request
    instant = request.instant ?? now
    let timetable = request.stop.feed.timetable
    let window = Self.window(instant, minutes: request.window)
    departures = timetable.departures(
      at: request.stop.stop,
      from: window.from,
      until: window.until,
      limit: request.limit
    )
    noService =
      departures.isEmpty ? Self.noService(request.stop, timetable, window.from, window.until) : nil
  }

  /// The instants a board covers: departures at or after 45 s before now, and before its end.
  private static func window(_ instant: Double, minutes: Int) -> (from: Int64, until: Int64) {
    // Departures are at whole seconds; the first one not too old is the next whole second.
    let from = (instant - Double(BoardLimits.grace)).rounded(.up)
    let until = (instant + Double(minutes * 60)).rounded(.up)
    return (Int64(from), Int64(until))
  }

  /// The instants the board covers, for the answer.
  var window: (from: Int64, until: Int64) {
    Self.window(instant, minutes: request.window)
  }

  private static func noService(
    _ stop: StopResolver.Resolved,
    _ timetable: Timetable,
    _ from: Int64,
    _ until: Int64
  ) -> NoService {
    guard timetable.departureCount(of: stop.stop) > 0 else {
      return NoService(reason: .stopHasNoDepartures)
    }
    let next = timetable.nextDeparture(at: stop.stop, after: until)
    let end = timetable.start(of: timetable.lastDay) + Int64(timetable.metadata.latestTime)
    let isOutside = from > end || until <= timetable.start(of: timetable.firstDay)
    return NoService(reason: isOutside ? .outsideFeedValidity : .noServiceInTimeWindow, next: next)
  }
}
