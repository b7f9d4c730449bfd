import Timetable

/// The order of rows: effective departure, scheduled departure, trip id, stop sequence.
struct RowOrder {
  let timetable: Timetable
  let realtime: RealtimeIndex

  /// Puts rows in order.
  func sort(_ rows: inout [BoardRow]) {
    // Rows come by effective time; most often no two are at the same one.
    var first = 0
    while first < rows.count {
      var end = first + 1
      while end < rows.count, rows[end].effective == rows[first].effective { end += 1 }
      if end - first > 1 { rows[first..<end].sort { precedes($0, $1) } }
      first = end
    }
  }

  /// Rows of the timetable and rows with realtime together, both in order.
  func merged(
    _ scheduled: [ScheduledDeparture],
    _ touched: [BoardRow],
    limit: Int
  ) -> [BoardRow] {
    var rows: [BoardRow] = []
    rows.reserveCapacity(min(limit, scheduled.count + touched.count))
    var left = 0
    var right = 0
    while rows.count < limit, left < scheduled.count || right < touched.count {
      if right == touched.count {
        rows.append(BoardRow(scheduled[left]))
        left += 1
      } else if left == scheduled.count {
        rows.append(touched[right])
        right += 1
      } else {
        let row = BoardRow(scheduled[left])
        if row.effective < touched[right].effective
          || (row.effective == touched[right].effective && precedes(row, touched[right]))
        {
          rows.append(row)
          left += 1
        } else {
          rows.append(touched[right])
          right += 1
        }
      }
    }
    return rows
  }

  /// Whether a row sorts before another one.
  func precedes(_ left: BoardRow, _ right: BoardRow) -> Bool {
    if left.effective != right.effective { return left.effective < right.effective }
    let first = left.scheduled ?? left.effective
    let second = right.scheduled ?? right.effective
    if first != second { return first < second }
    let order = realtime.compareTripIds(left, right)
    if order != 0 { return order < 0 }
    let leftSequence = realtime.sequence(of: left)
    let rightSequence = realtime.sequence(of: right)
    if leftSequence != rightSequence { return leftSequence < rightSequence }
    // Runs of one frequency by start.
    let (leftRank, rightRank) = (rank(of: left), rank(of: right))
    return (leftRank, left.trip ?? .max, left.day, left.call ?? -1)
      < (rightRank, right.trip ?? .max, right.day, right.call ?? -1)
  }

  /// Trips of the timetable, with modifications or without, come before replacements, and copies after both.
  private func rank(of row: BoardRow) -> Int {
    guard let extra = row.extra else { return 0 }
    if row.flags.contains(.extra) { return 2 }
    return realtime.extraTrips[extra].stops.first?.plan == nil ? 1 : 0
  }
}
