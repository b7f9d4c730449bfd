/// The files with a row for every trip, written in parallel so that no trip is kept in memory.
struct TimetableFiles: ~Copyable {
  /// What all trips of a pattern on one service share.
  struct Block {
    let line: Line
    let pattern: Pattern
    let template: TripTemplate
    let service: Service
    /// The seconds after midnight at which the trips begin, in order.
    let departures: [Int]
  }

  private static let reportInterval = 1 << 18

  private var trips: FeedFile
  private var stopTimes: FeedFile
  private var frequencies: FeedFile
  private let clock = ClockDigits()
  /// The trips written so far.
  private var count = 0
  private var reported = 0
  /// The trips of the route being written.
  private var countOfRoute = 0
  private var route = -1

  init(in directory: String) throws(SampleError) {
    let trips = try FeedFile(
      named: "trips.txt",
      in: directory,
      header: "route_id,service_id,trip_id,trip_headsign,trip_short_name,direction_id,block_id,"
        + "original_trip_id"
    )
    let stopTimes = try FeedFile(
      named: "stop_times.txt",
      in: directory,
      header: "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,"
        + "drop_off_type,stop_headsign,timepoint"
    )
    let frequencies = try FeedFile(
      named: "frequencies.txt",
      in: directory,
      header: "trip_id,start_time,end_time,headway_secs,exact_times"
    )
    self.trips = trips
    self.stopTimes = stopTimes
    self.frequencies = frequencies
  }

  /// Writes the trips of a block with their stop times.
  mutating func write(_ block: Block, progress: (String, Int) -> Void) throws(SampleError) {
    if block.pattern.line != self.route {
      self.route = block.pattern.line
      self.countOfRoute = 0
    }
    let line = block.line
    let direction = block.pattern.direction
    let tripSuffix = Array(
      ".TA.\(line.identifier).\(block.pattern.number).\(direction == 0 ? "H" : "R")".utf8
    )
    let rowPrefix = Array("\(line.identifier),\(block.service.identifier),".utf8)
    let headsign = Array(",\(block.template.headsign.quotedForCSV),".utf8)
    let journey = Array("ch:1:sjyid:10\(line.agency.rawValue):".utf8)
    let middle = ",\(direction),"
    var blocks = Blocks(template: block.template)
    for departure in block.departures {
      self.count += 1
      self.countOfRoute += 1
      let trip = Array(String(self.countOfRoute).utf8) + tripSuffix
      var rest = line.kind.isTrain ? String(self.trainNumber(direction)) : ""
      rest += middle
      if line.features.contains(.blocks) {
        rest += "b\(self.route)-\(block.service.identifier)-\(direction)-"
        rest += String(blocks.number(departure: departure))
      }
      rest += ","
      try self.trips.append(rowPrefix)
      try self.trips.append(trip)
      try self.trips.append(headsign)
      try self.trips.append(rest)
      try self.trips.append(journey)
      try self.trips.append("\(self.count)-001\n")
      self.trips.count(rows: 1)
      try self.writeStopTimes(trip: trip, block.template, from: departure)
    }
    if self.stopTimes.rows - self.reported >= TimetableFiles.reportInterval {
      self.reported = self.stopTimes.rows
      progress(self.stopTimes.name, self.stopTimes.rows)
    }
  }

  /// Writes one trip that represents many at intervals.
  mutating func write(
    _ block: Block,
    frequencies intervals: [(from: Int, to: Int, seconds: Int)],
    progress: (String, Int) -> Void
  ) throws(SampleError) {
    try self.write(block, progress: progress)
    let direction = block.pattern.direction == 0 ? "H" : "R"
    let trip =
      "\(self.countOfRoute).TA.\(block.line.identifier).\(block.pattern.number).\(direction)"
    let isExact = block.line.features.contains(.exactFrequency)
    for interval in intervals {
      try self.frequencies.append(row: [
        trip, self.clock.text(second: interval.from), self.clock.text(second: interval.to),
        String(interval.seconds), isExact ? "1" : "0",
      ])
    }
  }

  /// Writes the rest and returns a summary of the files.
  consuming func finish() throws(SampleError) -> [SampleSummary.File] {
    [try self.trips.finish(), try self.stopTimes.finish(), try self.frequencies.finish()]
  }

  /// Train numbers are odd one way and even the other.
  private func trainNumber(_ direction: Int) -> Int {
    (self.route % 180 + 5) * 100 + self.countOfRoute % 500 * 2 + direction
  }

  private mutating func writeStopTimes(
    trip: [UInt8],
    _ template: TripTemplate,
    from start: Int
  ) throws(SampleError) {
    let clock = self.clock
    let bound = template.rests.count + template.rows.count * (trip.count + 18)
    try self.stopTimes.fill(atMost: bound) { target in
      var next = target
      trip.withUnsafeBufferPointer { trip in
        template.rests.withUnsafeBufferPointer { rests in
          guard let tripBase = trip.baseAddress, let restBase = rests.baseAddress else { return }
          for row in template.rows {
            next.update(from: tripBase, count: trip.count)
            next += trip.count
            next[0] = UInt8(ascii: ",")
            next += 1
            if row.arrival >= 0 {
              let arrival = clock.word(second: start + row.arrival)
              let departure = clock.word(second: start + row.departure)
              UnsafeMutableRawPointer(next).storeBytes(of: arrival.littleEndian, as: UInt64.self)
              next[8] = UInt8(ascii: ",")
              UnsafeMutableRawPointer(next + 9)
                .storeBytes(of: departure.littleEndian, as: UInt64.self)
              next += 17
            } else {
              next[0] = UInt8(ascii: ",")
              next += 1
            }
            next.update(from: restBase + row.rest.lowerBound, count: row.rest.count)
            next += row.rest.count
          }
        }
      }
      return next
    }
    self.stopTimes.count(rows: template.rows.count)
  }

  /// The vehicles of a block of trips: a trip goes to the first that is free.
  private struct Blocks {
    private let duration: Int
    private var free: [Int] = []

    init(template: TripTemplate) { self.duration = template.duration }

    mutating func number(departure: Int) -> Int {
      let end = departure + self.duration
      if let vehicle = self.free.firstIndex(where: { $0 <= departure }) {
        self.free[vehicle] = end
        return vehicle + 1
      }
      self.free.append(end)
      return self.free.count
    }
  }
}
