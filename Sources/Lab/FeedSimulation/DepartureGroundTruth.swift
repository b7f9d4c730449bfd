import GTFS
package import Timetable

/// A departure as the feed has it: the row of a correct board.
package struct DepartureGroundTruth: Hashable, Sendable {
  /// trip_id: of the timetable, or of the extra run.
  package let tripID: String
  /// The run of the timetable; of an extra run, the one it runs beside.
  package let run: TripRun
  /// The start in seconds after 0:00 of the service day.
  package let startTime: Int64
  /// Whether the run is missing from the timetable.
  package let isExtra: Bool
  /// The stop of the timetable.
  package let stop: Timetable.Stop
  /// stop_sequence.
  package let sequence: UInt32
  /// The planned departure, in seconds since 1970-01-01T00:00:00Z; for an extra run or a
  /// replacement, as planned by its producer.
  package let scheduledDeparture: Int64
  /// Whether the feed or the timetable gives ``scheduledDeparture``; for an added run neither does.
  package let isPlanned: Bool
  /// The content of the feed.
  package let truth: StopGroundTruth
  /// The delay with which the run passes a skipped stop, in seconds.
  ///
  /// It is that of the previous stop, which applies (reference: it "does propagate over the SKIPPED
  /// stop"); `nil` if unknown, and for other stops.
  package let carriedDelay: Int32?

  /// When the run departs, as far as known, in seconds since 1970-01-01T00:00:00Z.
  package var effectiveDeparture: Int64 {
    truth.departure ?? scheduledDeparture + Int64(carriedDelay ?? 0)
  }
}

extension FeedWorld {
  /// How long a row stays on the board after its effective departure, in seconds.
  package static let grace: Int64 = 45

  /// Returns the departures that a board shows at the source time of a publication.
  ///
  /// Of the stop and all stops below it, with an effective departure from ``grace`` before the instant
  /// to the end of the window, ordered by effective departure, trip id and stop sequence. Deleted runs
  /// are included; a board omits them.
  ///
  /// - Parameters:
  ///   - stop: A platform, a station, or any stop between them.
  ///   - instant: The source time, in seconds since 1970-01-01T00:00:00Z.
  ///   - window: The length of the window, in seconds.
  /// - Returns: The departures.
  package func departures(
    at stop: Timetable.Stop,
    at instant: Int64,
    window: Int64
  ) -> [DepartureGroundTruth] {
    // Replacements and extra runs are later than the timetable; all may be late, or slightly early.
    let reach = Int64(shares.longestDelay) + TripScenario.latestExtra + Self.grace
    let scheduled = timetable.departures(
      at: stop,
      from: instant - reach,
      until: instant + window + 600,
      limit: .max
    )
    var cache: [TripRun: (state: RunState, extra: ExtraState?)] = [:]
    var rows: [DepartureGroundTruth] = []
    for departure in scheduled {
      let day = ServiceDate(daysSinceEpoch: departure.day)
      let run = TripRun(trip: departure.trip, day: day)
      let known = cache[run] ?? (state(of: run, at: instant), extraState(besides: run, at: instant))
      cache[run] = known
      let call = timetable.call(departure.position, of: departure.trip)
      let start = Int64(timetable.start(of: departure.trip))
      rows.append(
        DepartureGroundTruth(
          tripID: String(decoding: timetable.tripId(of: departure.trip), as: UTF8.self),
          run: run,
          startTime: start,
          isExtra: false,
          stop: departure.stop,
          sequence: call.sequence,
          scheduledDeparture: Self.planned(known.state, at: departure.position) ?? departure.time,
          isPlanned: true,
          truth: Self.truth(of: known.state, position: departure.position),
          carriedDelay: Self.carriedDelay(known.state, at: departure.position)
        )
      )
      guard let extra = known.extra, extra.state.phase == .extra,
        extra.state.calls.indices.contains(departure.position),
        departure.position >= extra.state.firstReported
      else { continue }
      let extraCall = extra.state.calls[departure.position]
      rows.append(
        DepartureGroundTruth(
          tripID: extra.id,
          run: run,
          startTime: (extra.state.calls.first?.scheduledDeparture ?? 0)
            - timetable.start(of: day),
          isExtra: true,
          stop: departure.stop,
          sequence: extraCall.sequence,
          scheduledDeparture: extraCall.scheduledDeparture,
          isPlanned: extra.kind.saysPlan,
          truth: StopGroundTruth(extraCall),
          carriedDelay: nil
        )
      )
    }
    let range = instant - Self.grace..<instant + window
    return rows.filter { range.contains($0.effectiveDeparture) }.sorted { left, right in
      (left.effectiveDeparture, left.tripID, left.sequence)
        < (right.effectiveDeparture, right.tripID, right.sequence)
    }
  }

  /// Returns when a replacement departs by its producer's plan; `nil` for other runs.
  private static func planned(_ state: RunState, at position: Int) -> Int64? {
    guard state.phase == .replaced else { return nil }
    return state.calls.first { $0.position == position }?.scheduledDeparture
  }

  /// Returns the delay of a run when it passes a skipped stop.
  private static func carriedDelay(_ state: RunState, at position: Int) -> Int32? {
    guard state.phase == .running,
      let place = state.calls.firstIndex(where: { $0.position == position }),
      place >= state.firstReported, state.calls[place].status == .skipped
    else { return nil }
    let before = state.calls[state.firstReported..<place].last { $0.status != .skipped }
    return before?.status == .served ? before?.departureDelay : nil
  }
}
