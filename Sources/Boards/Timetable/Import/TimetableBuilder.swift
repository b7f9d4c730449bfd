import Dispatch
import Foundation
import GTFS

/// Orders what was read from a feed into the sections of a timetable file.
struct TimetableBuilder {
  private let tables: FeedTables
  private let budget: FeedBudget
  private let limit: RejectedRowLimit
  private let importedAt: Double

  /// One run of a trip: the trip itself, or one departure of a frequency.
  private struct Run {
    var trip: UInt32
    var start: Int32
    var frequency: UInt8
  }

  init(
    _ tables: consuming FeedTables,
    _ budget: FeedBudget,
    limit: RejectedRowLimit,
    importedAt: Double
  ) {
    self.tables = tables
    self.budget = budget
    self.limit = limit
    self.importedAt = importedAt
  }

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - path: The file, which must not exist.
  ///   - report: Gets the counts, the service period and the times of the phases.
  ///   - progress: Called at the start of each phase.
  /// - Throws: ``FeedError`` with code `emptyCalendar`, `limitExceeded`, `tooManyRejectedRows`, `invalid` or
  ///   `cannotWrite`.
  func write(
    to path: String,
    report: inout ImportReport,
    progress: (ImportProgress) -> Void
  ) throws(FeedError) {
    let clock = ContinuousClock()
    let began = clock.now
    progress(ImportProgress(step: "index", done: 0, total: 0))
    // The days are in memory twice until they are written.
    let kept = tables.keptBytes
    let calendar = try ServiceSets(
      tables.services,
      today: Int(importedAt / 86_400),
      mostBytes: min(FeedLimits.serviceBytes, (budget.bytes - kept) / 2)
    )
    warn(about: calendar, in: &report)
    let runs = try self.runs(&report)
    let index = try departures(of: runs)
    guard !index.entries.isEmpty else {
      let onDemand = report.files.reduce(0) { $0 + $1.onDemand }
      throw FeedError(
        .invalid,
        "stop_times.txt: no departures; "
          + (onDemand > 0
            ? "\(onDemand) of its rows are served on demand, which no board shows"
            : "no trip is complete") + limit.rejections(in: report)
      )
    }
    try limit.check(report, trips: runs.count, departures: index.entries.count)
    report.phases["index"] = (clock.now - began).seconds
    let indexed = clock.now
    progress(ImportProgress(step: "write", done: 0, total: 0))

    let hasZones = tables.timeZones.count > 1
    var writer = try TimetableWriter(path: path)
    let metadata = TimetableMetadata(
      timeZone: tables.timeZone,
      timeZones: hasZones ? tables.timeZones : nil,
      agencyZones: hasZones ? tables.agencyZones.map { Int($0) } : nil,
      firstDay: calendar.firstDay,
      dayCount: calendar.dayCount,
      latestTime: index.latest,
      publisher: tables.publisher,
      version: tables.version,
      language: tables.language ?? tables.agencyLanguage,
      importedAt: importedAt,
      languages: Set(tables.translations.map(\.language)).map { tables.texts.text($0) }.sorted()
    )
    try writer.write(.metadata, encoded(metadata))
    try writer.write(.textStarts, tables.texts.starts)
    try writer.write(.textBytes, tables.texts.arena)
    try writer.write(.textPlaces, textPlaces())
    try writer.write(.agencies, tables.agencies)
    try writer.write(.stops, tables.stops)
    try writer.write(.stopsById, tables.stopIds.sorted())
    try writer.write(.stopsByOriginalId, stopsByOriginalId())
    try writer.write(.stopNumbers, stopNumbers())
    let (descendantStarts, descendants) = descendants(withDepartures: index.starts)
    try writer.write(.descendantStarts, descendantStarts)
    try writer.write(.descendants, descendants)
    try writer.write(.routes, tables.routes)
    try writer.write(.patterns, tables.patterns.patterns)
    try writer.write(.patternStops, tables.patterns.stops)
    try writer.write(.patternSequences, tables.patterns.sequences)
    try writer.write(.patternAttributes, tables.patterns.attributes)
    try writer.write(.patternHeadsigns, tables.patterns.headsigns)
    try writer.write(.profileTimes, tables.patterns.times)
    try writer.write(.trips, records(of: runs, calendar))
    let (idStarts, idBytes) = try ids(of: runs)
    try writer.write(.tripIdStarts, idStarts)
    try writer.write(.tripIdBytes, idBytes)
    try writer.write(.daySets, calendar.words)
    try writer.write(.departureStarts, index.starts)
    try writer.write(.departures, index.entries)
    try writer.write(.translations, tables.translations)
    let continuations = ContinuationTable(tables, calendar, runs: places(of: runs))
    try writer.write(.continuations, continuations.records)
    try writer.write(.continuationsByTarget, continuations.byTarget)
    report.timetableBytes = try writer.finish(
      version: hasZones ? TimetableHeader.currentVersion : TimetableHeader.oneZoneVersion
    )
    report.phases["write"] = (clock.now - indexed).seconds

    report.timeZone = tables.timeZones.joined(separator: ", ")
    report.serviceFrom = ServiceDate(daysSinceEpoch: calendar.firstDay).description
    report.serviceUntil =
      ServiceDate(daysSinceEpoch: calendar.firstDay + calendar.dayCount - 1).description
    report.stops = tables.stops.count
    report.routes = tables.routes.count
    report.trips = runs.count
    report.patterns = tables.patterns.patterns.count
    report.departures = index.entries.count
  }

  /// Says which services were cut because their days do not fit.
  private func warn(about calendar: ServiceSets, in report: inout ImportReport) {
    for number in calendar.shortened {
      let service = tables.services[number]
      let span = DaySet.span(of: service)
      let (first, last) = (span?.lowerBound ?? 0, span?.upperBound ?? 0)
      report.warn(
        RejectedRow(
          file: service.file.rawValue,
          line: service.line,
          column: nil,
          reason: "service from \(ServiceDate(daysSinceEpoch: first)) to"
            + " \(ServiceDate(daysSinceEpoch: last)) is cut to"
            + " \(ServiceDate(daysSinceEpoch: calendar.firstRepresentable)) to"
            + " \(ServiceDate(daysSinceEpoch: calendar.lastRepresentable)):"
            + " a timetable holds \(FeedLimits.serviceDays) days"
        )
      )
    }
  }

  private func encoded(_ metadata: TimetableMetadata) throws(FeedError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      return Array(try encoder.encode(metadata))
    } catch {
      throw FeedError(.invalid, "the timetable's metadata cannot be encoded: \(error)")
    }
  }

  /// For each text the first text that names the same place.
  private func textPlaces() -> [UInt32] {
    var folded = ByteTable(capacity: tables.texts.count)
    var first: [UInt32] = []
    return (0..<UInt32(tables.texts.count)).map { number in
      let name = PlaceName.folded(tables.texts.text(number))
      guard !name.isEmpty else { return number }
      let (place, isNew) = Array(name.utf8).withUnsafeBytes { folded.insert($0) }
      if isNew { first.append(number) }
      return first[Int(place)]
    }
  }

  // MARK: Trips

  /// All runs, ordered by trip id and start.
  private func runs(_ report: inout ImportReport) throws(FeedError) -> [Run] {
    let trips = tables.trips
    var runs: [Run] = []
    runs.reserveCapacity(trips.states.count)
    var bytes = 0
    let kept = tables.keptBytes - FeedTables.leastRunBytes * tables.runCount
    for trip in trips.ids.sorted() where trips.states[Int(trip)] == .complete {
      guard runs.count < FeedLimits.trips else { throw Self.tooManyRuns }
      guard let frequencies = tables.frequencies[trip] else {
        runs.append(Run(trip: trip, start: trips.starts[Int(trip)], frequency: 0))
        continue
      }
      var starts: [Int32: UInt8] = [:]
      for frequency in frequencies {
        for start in stride(from: frequency.start, to: frequency.end, by: Int(frequency.headway)) {
          starts[start] = frequency.isExact ? 2 : 1
        }
        guard runs.count + starts.count < FeedLimits.trips else { throw Self.tooManyRuns }
      }
      bytes += starts.count * bytesOfRun(of: trip)
      guard bytes <= FeedLimits.frequencyBytes else {
        throw FeedError(
          .limitExceeded,
          "frequencies.txt, line \(frequencies.last?.line ?? 1): the departures of its trips take more"
            + " than \(FeedLimits.frequencyBytes) bytes"
        )
      }
      try budget.check(
        kept + bytes,
        file: FeedFile.frequencies.rawValue,
        line: frequencies.last?.line ?? 1
      )
      let reach = reach(of: trip)
      for start in starts.keys {
        let isInDay =
          Int(start) + reach.lowerBound >= 0
          && Int(start) + reach.upperBound <= FeedLimits.latestDeparture
        if !isInDay { starts[start] = nil }
      }
      if starts.isEmpty {
        report.warn(
          RejectedRow(
            file: FeedFile.frequencies.rawValue,
            line: 0,
            column: nil,
            reason: "trip \"\(trips.ids.text(trip))\": none of its runs lies within a service day"
          )
        )
      }
      for (start, frequency) in starts.sorted(by: { $0.key < $1.key }) {
        runs.append(Run(trip: trip, start: start, frequency: frequency))
      }
    }
    return runs
  }

  /// How much one run takes until it is written.
  static let bytesOfRun = MemoryLayout<Run>.stride

  /// How much one run of a trip takes, here and in the file.
  private func bytesOfRun(of trip: UInt32) -> Int {
    let ids = tables.trips.ids
    let pattern = tables.patterns.patterns[Int(tables.trips.patterns[Int(trip)])]
    return Self.bytesOfRun + MemoryLayout<TripRecord>.stride + MemoryLayout<UInt32>.stride
      + Int(ids.starts[Int(trip) + 1] - ids.starts[Int(trip)])
      + Int(pattern.count) * MemoryLayout<DepartureEntry>.stride
  }

  private static let tooManyRuns = FeedError(
    .limitExceeded,
    "trips.txt, frequencies.txt: more than \(FeedLimits.trips) trips and runs of trips"
  )

  /// The earliest and latest time of a trip, in seconds after its first departure.
  private func reach(of trip: UInt32) -> ClosedRange<Int> {
    let pattern = tables.patterns.patterns[Int(tables.trips.patterns[Int(trip)])]
    let first = Int(tables.trips.profiles[Int(trip)])
    var lowest = 0
    var highest = 0
    for time in tables.patterns.times[first..<first + Int(pattern.count)] {
      lowest = min(lowest, Int(time.departure))
      highest = max(highest, Int(time.departure))
    }
    return lowest...highest
  }

  /// For each trip the number of its run; ``noRecord`` for those left out and those of frequencies.txt.
  private func places(of runs: [Run]) -> [UInt32] {
    var places = [UInt32](repeating: noRecord, count: tables.trips.states.count)
    for (number, run) in runs.enumerated() where tables.frequencies[run.trip] == nil {
      places[Int(run.trip)] = UInt32(number)
    }
    return places
  }

  private func records(of runs: [Run], _ calendar: ServiceSets) -> [TripRecord] {
    let trips = tables.trips
    return runs.map { run in
      let trip = Int(run.trip)
      return TripRecord(
        pattern: trips.patterns[trip],
        profile: trips.profiles[trip],
        start: run.start,
        daySet: calendar.sets[Int(trips.services[trip])],
        route: trips.routes[trip],
        headsign: trips.headsigns[trip],
        shortName: trips.shortNames[trip],
        direction: trips.directions[trip],
        frequency: run.frequency
      )
    }
  }

  private func ids(of runs: [Run]) throws(FeedError) -> ([UInt32], [UInt8]) {
    let ids = tables.trips.ids
    var starts: [UInt32] = []
    starts.reserveCapacity(runs.count + 1)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(ids.arena.count)
    for run in runs {
      starts.append(UInt32(bytes.count))
      let first = Int(ids.starts[Int(run.trip)])
      bytes.append(contentsOf: ids.arena[first..<Int(ids.starts[Int(run.trip) + 1])])
      guard bytes.count < Int(UInt32.max) - FeedLimits.textBytes else {
        throw FeedError(.limitExceeded, "trips.txt: the trip ids take more than 4 GB")
      }
    }
    starts.append(UInt32(bytes.count))
    return (starts, bytes)
  }

  // MARK: Departures

  /// The departures of every stop, ordered by time, trip id and position.
  private func departures(
    of runs: [Run]
  ) throws(FeedError) -> (starts: [UInt32], entries: [DepartureEntry], latest: Int) {
    let patterns = tables.patterns
    let trips = tables.trips
    var counts = [Int](repeating: 0, count: tables.stops.count + 1)
    var runsOfPattern = [Int](repeating: 0, count: patterns.patterns.count)
    for run in runs { runsOfPattern[Int(trips.patterns[Int(run.trip)])] += 1 }
    for (number, pattern) in patterns.patterns.enumerated() where runsOfPattern[number] > 0 {
      for place in departing(pattern) {
        counts[Int(patterns.stops[place]) + 1] += runsOfPattern[number]
      }
    }
    for stop in 0..<tables.stops.count { counts[stop + 1] += counts[stop] }
    let total = counts[tables.stops.count]
    guard total < FeedLimits.departures else {
      throw FeedError(
        .limitExceeded,
        "stop_times.txt: more than \(FeedLimits.departures) departures"
      )
    }
    let starts = counts.map { UInt32($0) }
    var cursors = counts
    var latest = 0
    var failure: FeedError?
    let entries = [DepartureEntry](unsafeUninitializedCapacity: total) { entries, count in
      for (number, run) in runs.enumerated() {
        let trip = Int(run.trip)
        let pattern = patterns.patterns[Int(trips.patterns[trip])]
        let profile = Int(trips.profiles[trip])
        for place in departing(pattern) {
          let position = place - Int(pattern.first)
          let time = run.start + patterns.times[profile + position].departure
          guard time >= 0, Int(time) <= FeedLimits.latestDeparture else {
            failure = FeedError(
              .limitExceeded,
              "trip \"\(trips.ids.text(run.trip))\" departs \(time) s after 0:00 of its service day;"
                + " the limits are 0 and \(FeedLimits.latestDeparture)"
            )
            return
          }
          latest = max(latest, Int(time))
          let stop = Int(patterns.stops[place])
          entries[cursors[stop]] = DepartureEntry(
            time: time,
            trip: UInt32(number),
            position: position
          )
          cursors[stop] += 1
        }
      }
      Self.sort(entries, starts)
      count = total
    }
    if let failure { throw failure }
    return (starts, entries, latest)
  }

  /// The places of a pattern where people can get on and ride: not the last, not pickup_type 1.
  private func departing(_ pattern: PatternRecord) -> some Sequence<Int> {
    // Not all the tables, for each run of a trip.
    let attributes = tables.patterns.attributes
    return (Int(pattern.first)..<Int(pattern.first + pattern.count - 1)).lazy.filter { place in
      StopTimeAttributes(bits: attributes[place]).pickupType != 1
    }
  }

  /// Sorts the departures of each stop, on all cores.
  private static func sort(
    _ entries: UnsafeMutableBufferPointer<DepartureEntry>,
    _ starts: [UInt32]
  ) {
    nonisolated(unsafe) let keys = UnsafeMutableRawBufferPointer(entries)
      .bindMemory(to: UInt64.self)
    let stops = starts.count - 1
    let slices = 64
    DispatchQueue.concurrentPerform(iterations: slices) { first in
      for stop in stride(from: first, to: stops, by: slices) {
        var slice = UnsafeMutableBufferPointer(
          rebasing: keys[Int(starts[stop])..<Int(starts[stop + 1])]
        )
        slice.sort()
      }
    }
    _ = UnsafeMutableRawBufferPointer(keys).bindMemory(to: DepartureEntry.self)
  }

  // MARK: Stops

  private func stopsByOriginalId() -> [UInt32] {
    let texts = tables.texts
    let stops = tables.stops
    return stops.indices.filter { stops[$0].originalId != 0 }.map { UInt32($0) }
      .sorted { left, right in
        let (first, second) = (stops[Int(left)].originalId, stops[Int(right)].originalId)
        // Equal texts have one number.
        guard first != second else { return left < right }
        return texts.withBytes(of: first) { first in
          texts.withBytes(of: second) { second in ByteOrder.precedes(first, second) }
        }
      }
  }

  /// For each Swiss station number the stop that represents the whole station.
  private func stopNumbers() -> [StopNumberRecord] {
    var best: [UInt32: UInt32] = [:]
    for stop in tables.stops.indices {
      guard let number = SwissStopId.stationNumber(tables.texts.text(tables.stops[stop].id)) else {
        continue
      }
      let root = tables.stops[stop].root
      guard let other = best[number] else {
        best[number] = root
        continue
      }
      // A station (location_type 1) answers before a lone stop.
      if tables.stops[Int(root)].locationType == 1, tables.stops[Int(other)].locationType != 1 {
        best[number] = root
      }
    }
    return best.sorted { $0.key < $1.key }
      .map { StopNumberRecord(number: $0.key, stop: $0.value) }
  }

  private func descendants(withDepartures starts: [UInt32]) -> ([UInt32], [UInt32]) {
    var lists = [[UInt32]](repeating: [], count: tables.stops.count)
    for stop in tables.stops.indices where starts[stop] < starts[stop + 1] {
      var ancestor = UInt32(stop)
      while ancestor != noRecord {
        lists[Int(ancestor)].append(UInt32(stop))
        ancestor = tables.stops[Int(ancestor)].parent
      }
    }
    var offsets: [UInt32] = [0]
    var all: [UInt32] = []
    for list in lists {
      all += list
      offsets.append(UInt32(all.count))
    }
    return (offsets, all)
  }
}

extension Duration {
  /// The duration as seconds.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
