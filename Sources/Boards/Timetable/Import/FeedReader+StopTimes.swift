import GTFS

/// stop_times.txt: by far the largest file, read at a few million rows a second.
///
/// The rows of a trip are nearly always adjacent; such a trip is converted to its pattern and
/// profile as soon as the next trip begins. Later rows of a finished trip are put aside and merged
/// at the end, so that a file in any order gives the same timetable.
extension FeedReader {
  private struct Columns {
    var trip: Int
    var stop: Int
    var sequence: Int
    var arrival: Int
    var departure: Int
    var pickup: Int?
    var dropOff: Int?
    var headsign: Int?
    var distance: Int?
    var timepoint: Int?
    /// What a row that is served on demand has instead of a stop or a time.
    var onDemand: [Int]
    /// Where and how it is booked.
    var booking: OnDemandColumns
  }

  /// The rows of stop_times.txt that are served on demand: those of zones and those with a pickup window.
  private struct OnDemandRows {
    /// The line of the first one of each trip, and the highest stop_sequence.
    var trips: [UInt32: (line: Int, sequence: Int)] = [:]

    /// Adds a row; whether it is the first one of its trip.
    mutating func add(_ trip: UInt32, line: Int, sequence: Int) -> Bool {
      let known = trips[trip]
      trips[trip] = (known?.line ?? line, max(known?.sequence ?? 0, sequence))
      return known == nil
    }
  }

  func readStopTimes() throws(FeedError) {
    var rows = StopTimeRows()
    var late: [LateRow] = []
    var onDemand = OnDemandRows()
    var current = noRecord
    var firstLine = 0
    try read(.stopTimes) { reader throws(FeedError) in
      Columns(
        trip: try reader.required("trip_id"),
        stop: try reader.required("stop_id"),
        sequence: try reader.required("stop_sequence"),
        arrival: try reader.required("arrival_time"),
        departure: try reader.required("departure_time"),
        pickup: reader.column("pickup_type"),
        dropOff: reader.column("drop_off_type"),
        headsign: reader.column("stop_headsign"),
        distance: reader.column("shape_dist_traveled"),
        timepoint: reader.column("timepoint"),
        onDemand: OnDemandColumns(reader).telling,
        booking: OnDemandColumns(reader)
      )
    } row: { reader, columns throws(FeedError) in
      let id = reader.bytes(columns.trip)
      var trip = current
      if current == noRecord || !tables.trips.ids.equals(current, id) {
        guard let found = find(id, in: tables.trips.ids) else {
          return Rejection(
            .reference,
            column: columns.trip,
            reason: "trip_id \(shown(reader, columns.trip)) is not in trips.txt"
          )
        }
        trip = found
      }
      guard tables.trips.states[Int(trip)] != .rejected else {
        drop()
        return nil
      }
      // GTFS reference, stop_times.txt: such a row has neither a stop nor a time, and no board shows it.
      guard !columns.onDemand.contains(where: { reader.bytes($0).count > 0 }) else {
        setAside()
        noteOnDemand(
          reader,
          trip: trip,
          stop: columns.stop,
          pickup: columns.pickup,
          columns.booking
        )
        let sequence = integer(reader, columns.sequence) ?? 0
        if onDemand.add(trip, line: reader.line, sequence: sequence) { scratchBytes += 64 }
        return nil
      }
      switch stopTime(reader, columns) {
      case .failure(let rejection): return rejection.value
      case .success(let row):
        if columns.booking.rule != nil, row.attributes & 3 == 2 {
          noteCall(reader, trip: trip, stop: row.stop, columns.booking)
        }
        if trip != current {
          if current != noRecord { close(current, &rows, line: firstLine, late: &late) }
          current = noRecord
          guard tables.trips.states[Int(trip)] == .waiting else {
            late.append(LateRow(trip: trip, line: reader.line, row: row))
            scratchBytes += MemoryLayout<LateRow>.stride
            return nil
          }
          current = trip
          firstLine = reader.line
        }
        guard rows.count < FeedLimits.stopTimesPerTrip else {
          return Rejection(
            .limit,
            column: nil,
            reason: "more than \(FeedLimits.stopTimesPerTrip) stop times in one trip"
          )
        }
        if let place = rows.place(of: row.sequence) {
          let (kind, reason) = Self.repetition(row, of: rows[place])
          return Rejection(kind, column: columns.sequence, reason: reason)
        }
        rows.append(row)
        return nil
      }
    }
    if current != noRecord { close(current, &rows, line: firstLine, late: &late) }
    merge(late)
    warn(about: onDemand)
  }

  /// Why a row is not used whose trip has another one of its stop_sequence.
  private static func repetition(
    _ row: StopTimeRow,
    of other: StopTimeRow
  ) -> (kind: RejectedRow.Kind, reason: String) {
    let reason = "stop_sequence \(row.sequence) appears twice in the trip"
    guard row.isCopy(of: other) else { return (.duplicate, reason) }
    return (.copy, reason + ", in equal rows")
  }

  /// Says which trips boards do not show, or not to their end, because of rows that were set aside.
  private func warn(about onDemand: OnDemandRows) {
    var without = (count: 0, line: Int.max)
    var beyond = (count: 0, line: Int.max)
    for (trip, rows) in onDemand.trips {
      let number = tables.trips.patterns[Int(trip)]
      if number == noRecord {
        guard tables.trips.states[Int(trip)] == .waiting else { continue }
        without = (without.count + 1, min(without.line, rows.line))
      } else {
        let pattern = tables.patterns.patterns[Int(number)]
        let last = tables.patterns.sequences[Int(pattern.first + pattern.count) - 1]
        guard rows.sequence > Int(last) else { continue }
        beyond = (beyond.count + 1, min(beyond.line, rows.line))
      }
    }
    if without.count > 0 {
      warn(
        file: .stopTimes,
        line: without.line,
        column: nil,
        reason: "trips without a stop that is served at a time, on demand only, left out:"
          + " \(without.count)"
      )
    }
    if beyond.count > 0 {
      warn(
        file: .stopTimes,
        line: beyond.line,
        column: nil,
        reason: "trips that go on, on demand, after their last stop with a time; boards end them"
          + " there: \(beyond.count)"
      )
    }
  }

  /// A row that came after its trip was closed, or whose trip could not be closed yet.
  private struct LateRow {
    var trip: UInt32
    var line: Int
    var row: StopTimeRow
  }

  private struct RowFailure: Error {
    var value: Rejection
  }

  private func stopTime(
    _ reader: CSVReader,
    _ columns: Columns
  ) -> Result<StopTimeRow, RowFailure> {
    func failure(
      _ kind: RejectedRow.Kind,
      _ column: Int,
      _ reason: String
    ) -> Result<StopTimeRow, RowFailure> {
      .failure(RowFailure(value: Rejection(kind, column: column, reason: reason)))
    }
    let stopId = reader.bytes(columns.stop)
    guard let stop = find(stopId, in: tables.stopIds) else {
      return failure(
        .reference,
        columns.stop,
        "stop_id \(shown(reader, columns.stop)) is not in stops.txt"
      )
    }
    guard
      let sequence = integer(reader, columns.sequence), sequence >= 0,
      sequence < Int(UInt32.max)
    else {
      return failure(
        .value,
        columns.sequence,
        "stop_sequence \(shown(reader, columns.sequence)) is not a whole number"
      )
    }
    var arrival = StopTimeRows.blank
    var departure = StopTimeRows.blank
    switch TimeOfDay.read(reader.bytes(columns.arrival)) {
    case .seconds(let seconds): arrival = seconds
    case .blank: break
    case .malformed:
      return failure(
        .value,
        columns.arrival,
        "\(shown(reader, columns.arrival)) is not a time H:MM:SS"
      )
    }
    switch TimeOfDay.read(reader.bytes(columns.departure)) {
    case .seconds(let seconds): departure = seconds
    case .blank: departure = arrival
    case .malformed:
      return failure(
        .value,
        columns.departure,
        "\(shown(reader, columns.departure)) is not a time H:MM:SS"
      )
    }
    if arrival == StopTimeRows.blank { arrival = departure }
    let pickup = reader.bytes(columns.pickup)
    let dropOff = reader.bytes(columns.dropOff)
    var attributes: UInt8 = 0
    if pickup.count == 1, (0x30...0x33).contains(pickup[0]) { attributes |= pickup[0] & 3 }
    if dropOff.count == 1, (0x30...0x33).contains(dropOff[0]) {
      attributes |= (dropOff[0] & 3) << 2
    }
    let timepoint = reader.bytes(columns.timepoint)
    if timepoint.count == 1 {
      if timepoint[0] == 0x30 { attributes |= StopTimeAttributes.approximate }
      if timepoint[0] == 0x31 { attributes |= StopTimeAttributes.timepoint }
    }
    return .success(
      StopTimeRow(
        sequence: UInt32(sequence),
        stop: stop,
        arrival: arrival,
        departure: departure,
        attributes: attributes,
        headsign: columns.headsign == nil ? 0 : text(reader, columns.headsign),
        distance: columns.distance == nil ? .nan : Self.distance(reader.bytes(columns.distance))
      )
    )
  }

  /// Converts the adjacent rows of a trip to its pattern and profile.
  ///
  /// If its first or last stop has no time, more rows may follow in a file that is not in order:
  /// the rows are put aside until the end.
  private func close(_ trip: UInt32, _ rows: inout StopTimeRows, line: Int, late: inout [LateRow]) {
    if !complete(trip, &rows, line: line) {
      tables.trips.states[Int(trip)] = .open
      for index in 0..<rows.count {
        late.append(LateRow(trip: trip, line: line + index, row: rows[index]))
      }
      scratchBytes += rows.count * MemoryLayout<LateRow>.stride
    }
    rows.removeAll()
  }

  /// Completes a trip; `false`, and nothing changed, if its first or last stop has no time.
  private func complete(_ trip: UInt32, _ rows: inout StopTimeRows, line: Int) -> Bool {
    let place = Int(trip)
    if !rows.isOrdered {
      let order = (0..<rows.count).sorted { rows.sequences[$0] < rows.sequences[$1] }
      var sorted = StopTimeRows()
      for index in order { sorted.append(rows[index]) }
      rows = sorted
    }
    guard
      let start = rows.departures.first, start != StopTimeRows.blank,
      rows.departures.last != StopTimeRows.blank
    else { return false }
    interpolate(&rows)
    if rows.runsBackwards {
      warn(
        file: .stopTimes,
        line: line,
        column: "arrival_time",
        reason: "trip \"\(tables.trips.ids.text(trip))\": its times run backwards"
      )
    }
    tables.trips.starts[place] = start
    tables.trips.patterns[place] = tables.patterns.pattern(of: rows)
    tables.trips.profiles[place] = tables.patterns.profile(of: rows, start: start)
    if !rows.distances.isEmpty {
      tables.trips.distances[place] = tables.distances.number(of: rows.distances)
    }
    tables.trips.states[place] = .complete
    return true
  }

  /// A distance that is not negative; NaN for anything else.
  private static func distance(_ bytes: UnsafeRawBufferPointer) -> Double {
    guard bytes.count > 0 else { return .nan }
    // Up to 15 digits and their decimal point are exact as a quotient of two numbers that are.
    var digits: UInt64 = 0
    var scale = 1.0
    var isFraction = false
    for byte in bytes {
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 100_000_000_000_000 {
        digits = digits * 10 + UInt64(byte & 15)
        if isFraction { scale *= 10 }
      } else {
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite, value >= 0
        else { return .nan }
        return value
      }
    }
    return Double(digits) / scale
  }

  /// Gives stops without times the times between their timed neighbors: as far along as their
  /// shape_dist_traveled is, else in equal steps.
  private func interpolate(_ rows: inout StopTimeRows) {
    guard rows.departures.contains(StopTimeRows.blank) else { return }
    var timed = 0
    for index in 1..<rows.count where rows.departures[index] != StopTimeRows.blank {
      let steps = index - timed
      let first = Int(rows.departures[timed])
      let span = Int(rows.arrivals[index]) - first
      let distances = Self.isRising(rows.distances, timed...index) ? rows.distances : []
      for step in 1..<max(1, steps) {
        // Rounded down also when times run backwards.
        let share =
          if distances.isEmpty {
            (Double(span) * Double(step) / Double(steps)).rounded(.down)
          } else {
            (Double(span)
              * ((distances[timed + step] - distances[timed])
                / (distances[index] - distances[timed])))
              .rounded(.down)
          }
        rows.arrivals[timed + step] = Int32(first + Int(share))
        rows.departures[timed + step] = Int32(first + Int(share))
        rows.attributes[timed + step] |= StopTimeAttributes.interpolated
      }
      timed = index
    }
  }

  /// Whether all stops of a part have distances that never fall, and the last one is farther than the first.
  private static func isRising(_ distances: [Double], _ part: ClosedRange<Int>) -> Bool {
    // A comparison with NaN is false.
    distances[part.lowerBound] < distances[part.upperBound]
      && part.dropLast().allSatisfy { distances[$0] <= distances[$0 + 1] }
  }

  /// Adds the rows that were put aside to their trips.
  private func merge(_ late: [LateRow]) {
    let ordered = late.sorted { ($0.trip, $0.line) < ($1.trip, $1.line) }
    var index = 0
    while index < ordered.count {
      let trip = ordered[index].trip
      let line = ordered[index].line
      var rows = timedRows(of: trip)
      while index < ordered.count, ordered[index].trip == trip {
        let row = ordered[index].row
        if rows.count >= FeedLimits.stopTimesPerTrip {
          reject(
            .limit,
            file: .stopTimes,
            line: ordered[index].line,
            reason: "more than \(FeedLimits.stopTimesPerTrip) stop times in one trip"
          )
        } else if let place = rows.place(of: row.sequence) {
          let (kind, reason) = Self.repetition(row, of: rows[place])
          reject(
            kind,
            file: .stopTimes,
            line: ordered[index].line,
            column: "stop_sequence",
            reason: reason
          )
        } else {
          rows.append(row)
        }
        index += 1
      }
      guard !complete(trip, &rows, line: line) else { continue }
      tables.trips.states[Int(trip)] = .rejected
      tables.trips.patterns[Int(trip)] = noRecord
      report.files[report.files.count - 1].dropped += rows.count - 1
      reject(
        .time,
        file: .stopTimes,
        line: line,
        reason: "trip \"\(tables.trips.ids.text(trip))\": its first or last stop has no time"
      )
    }
  }

  /// The rows a trip was closed with, without the times that were interpolated among them.
  private func timedRows(of trip: UInt32) -> StopTimeRows {
    guard tables.trips.patterns[Int(trip)] != noRecord else { return StopTimeRows() }
    var rows = tables.patterns.rows(
      pattern: tables.trips.patterns[Int(trip)],
      profile: tables.trips.profiles[Int(trip)],
      start: tables.trips.starts[Int(trip)]
    )
    let distances = tables.trips.distances[Int(trip)]
    if distances != noRecord { rows.distances = tables.distances.lists[Int(distances)] }
    for place in 0..<rows.count where rows.attributes[place] & StopTimeAttributes.interpolated != 0
    {
      rows.arrivals[place] = StopTimeRows.blank
      rows.departures[place] = StopTimeRows.blank
      rows.attributes[place] &= ~StopTimeAttributes.interpolated
    }
    return rows
  }
}
