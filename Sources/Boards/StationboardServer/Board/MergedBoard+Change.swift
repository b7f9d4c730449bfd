import Timetable

extension MergedBoard {
  /// How far ahead ``nextChangeAt`` looks, in seconds.
  static let changeHorizon: Double = 900

  /// The instant until which, it included, the same timetable and realtime give the same visible
  /// content, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// After it a row leaves, a row enters at the window's end, the realtime of a row gets less fresh, or a
  /// row without realtime gets so near that it could have some. At most ``changeHorizon`` after now. A board of a fixed instant only ages. Costs a query of
  /// a short window, so it is to be read once per board.
  var nextChangeAt: Double {
    var next = now + Self.changeHorizon
    for row in rows {
      if let vehicle = row.vehicle, let vehicles {
        next = min(next, Double(vehicles.vehicles[vehicle.number].seenAt) + decay.ageing)
      }
      guard let source = row.sourceTime, row.hasRealtime else {
        let due = Double(row.effective) - BoardLimits.realtimeHorizon
        if realtime != nil, due >= now { next = min(next, due) }
        continue
      }
      if let age = decay.threshold(after: now - Double(source)) {
        next = min(next, Double(source) + age)
      }
    }
    guard request.instant == nil else { return next }
    if let noService { next = min(next, change(of: noService)) }
    if let first = rows.first { next = min(next, Double(first.effective + BoardLimits.grace)) }
    // With as many rows as the limit allows, a row enters only when another one leaves.
    guard rows.count < request.limit else { return next }
    let length = Double(request.window * 60)
    let end = window.until
    let horizon = Int64((next + length).rounded(.up))
    guard end < horizon else { return next }
    if let entering = firstDeparture(from: end, until: horizon) {
      next = min(next, Double(entering) - length)
    }
    return max(next, now)
  }

  /// When the reason for an empty board, or the next departure it names, becomes another.
  ///
  /// The next departure is the timetable's: it passes even if realtime has taken it from the board.
  private func change(of noService: NoService) -> Double {
    let timetable = request.stop.feed.timetable
    let length = Double(request.window * 60)
    let begins = Double(timetable.starts(of: timetable.firstDay).lowerBound) - length
    let ends = Double(NoService.end(of: timetable) + BoardLimits.grace)
    return [noService.next.map { Double($0) - length }, begins, ends].compactMap(\.self)
      .filter { $0 >= now }.min() ?? .infinity
  }

  private func firstDeparture(from: Int64, until: Int64) -> Int64? {
    let stop = request.stop.stop
    let scheduled = request.stop.feed.timetable.departures(
      at: stop,
      from: from,
      until: until,
      limit: 1,
      excluding: realtime.map { index in { trip, day in index.touches(trip, day: day) } }
    )
    .first?.time
    let touched = realtime?.rows(at: stop, from: from, until: until, limit: 1).map(\.effective)
      .min()
    guard let scheduled, let touched else { return scheduled ?? touched }
    return min(scheduled, touched)
  }
}
