import Foundation
import GTFS

/// Which trips vehicles run after others, so that passengers may stay in: by transfers.txt, and by block_id.
///
/// A trip has all links of transfers.txt, and then of its block, in the order of their starts, the trips that may be the
/// vehicle's next one; enough of them that each day on which the trip runs has its own.
struct ContinuationTable {
  /// The continuations, by the number of the run that ends.
  private(set) var records: [ContinuationRecord] = []
  /// The numbers of ``records`` by the run that begins.
  private(set) var byTarget: [UInt32] = []

  private let tables: FeedTables
  private let calendar: ServiceSets
  private let runs: [UInt32]
  /// How many continuations lead to each run.
  private var arrivals: [UInt32: Int] = [:]

  /// How long a vehicle may wait between two trips of its block, in seconds, for passengers to stay in.
  static let longestStop: Int32 = 1_800
  /// How far apart the last stop and the next first one may be, in meters, if they are of different stations.
  static let mostMeters = 200.0

  /// Finds the continuations of a feed.
  ///
  /// - Parameters:
  ///   - tables: The feed.
  ///   - calendar: The days of its services.
  ///   - runs: For each trip the number of its run, or ``noRecord``.
  init(_ tables: FeedTables, _ calendar: ServiceSets, runs: [UInt32]) {
    self.tables = tables
    self.calendar = calendar
    self.runs = runs
    var barred: Set<UInt64> = []
    addLinks(&barred)
    addBlocks(barred)
    arrivals = [:]
    let order = records.indices.sorted { left, right in
      let (first, second) = (records[left], records[right])
      return (first.from, first.rank, left) < (second.from, second.rank, right)
    }
    records = order.map { records[$0] }
    byTarget = records.indices.sorted { (records[$0].to, $0) < (records[$1].to, $1) }
      .map { UInt32($0) }
  }

  // MARK: transfers.txt

  private mutating func addLinks(_ barred: inout Set<UInt64>) {
    for link in tables.links where !link.isInSeat { barred.insert(Self.pair(link.from, link.to)) }
    var known: Set<UInt64> = []
    var counts: [UInt32: Int] = [:]
    for link in tables.links where link.isInSeat {
      let pair = Self.pair(link.from, link.to)
      let (from, to) = (runs[Int(link.from)], runs[Int(link.to)])
      guard from != noRecord, to != noRecord, from != to, !barred.contains(pair),
        zone(of: link.from) == zone(of: link.to),
        counts[from, default: 0] < FeedLimits.continuationsPerTrip,
        known.insert(pair).inserted
      else { continue }
      counts[from, default: 0] += 1
      let isNextDay = tables.trips.starts[Int(link.to)] < end(of: link.from)
      add(
        ContinuationRecord(
          from: from,
          to: to,
          flags: isNextDay ? [.linked, .inSeat, .nextDay] : [.linked, .inSeat]
        )
      )
    }
  }

  /// Adds a continuation, unless too many lead to its run.
  private mutating func add(_ record: ContinuationRecord) {
    guard arrivals[record.to, default: 0] < FeedLimits.predecessorsPerTrip else { return }
    arrivals[record.to, default: 0] += 1
    records.append(record)
  }

  private static func pair(_ from: UInt32, _ to: UInt32) -> UInt64 {
    UInt64(from) << 32 | UInt64(to)
  }

  // MARK: block_id

  private mutating func addBlocks(_ barred: Set<UInt64>) {
    let trips = tables.trips
    let order = trips.blocks.indices
      .filter { trips.blocks[$0] != noRecord && runs[$0] != noRecord }
      .map { UInt32($0) }
      .sorted { left, right in
        let (first, second) = (Int(left), Int(right))
        if trips.blocks[first] != trips.blocks[second] {
          return trips.blocks[first] < trips.blocks[second]
        }
        let (zoneBefore, zoneAfter) = (zone(of: left), zone(of: right))
        if zoneBefore != zoneAfter { return zoneBefore < zoneAfter }
        return (trips.starts[first], runs[first]) < (trips.starts[second], runs[second])
      }
    var begin = 0
    while begin < order.count {
      var end = begin + 1
      while end < order.count, trips.blocks[Int(order[end])] == trips.blocks[Int(order[begin])],
        zone(of: order[end]) == zone(of: order[begin])
      {
        end += 1
      }
      if end - begin > 1 {
        for trip in order[begin..<end] { addNext(of: trip, among: order[begin..<end], barred) }
      }
      begin = end
    }
  }

  /// Adds the trips of a block that the vehicle may run after one of them.
  private mutating func addNext(
    of trip: UInt32,
    among block: ArraySlice<UInt32>,
    _ barred: Set<UInt64>
  ) {
    let starts = tables.trips.starts
    let end = end(of: trip)
    var low = block.startIndex
    var high = block.endIndex
    while low < high {
      let middle = (low + high) / 2
      if starts[Int(block[middle])] < end { low = middle + 1 } else { high = middle }
    }
    var open = days(of: trip)
    for other in block[low...].prefix(FeedLimits.continuationsPerTrip) where other != trip {
      guard starts[Int(other)] - end <= Self.longestStop else { break }
      let others = days(of: other)
      var isNext = false
      for place in open.indices where open[place] & others[place] != 0 {
        isNext = true
        open[place] &= ~others[place]
      }
      guard isNext else { continue }
      let isInSeat = !barred.contains(Self.pair(trip, other)) && isNear(trip, other)
      add(
        ContinuationRecord(
          from: runs[Int(trip)],
          to: runs[Int(other)],
          flags: isInSeat ? .inSeat : []
        )
      )
      if open.allSatisfy({ $0 == 0 }) { break }
    }
  }

  private func days(of trip: UInt32) -> [UInt64] {
    let set = Int(calendar.sets[Int(tables.trips.services[Int(trip)])])
    return Array(calendar.words[set * calendar.stride..<(set + 1) * calendar.stride])
  }

  /// The arrival at the last stop, in seconds after 0:00 of the service day.
  private func end(of trip: UInt32) -> Int32 {
    let pattern = tables.patterns.patterns[Int(tables.trips.patterns[Int(trip)])]
    let last = Int(tables.trips.profiles[Int(trip)]) + Int(pattern.count) - 1
    return tables.trips.starts[Int(trip)] + tables.patterns.times[last].arrival
  }

  /// The place of the zone of a trip's agency.
  private func zone(of trip: UInt32) -> UInt8 {
    guard tables.timeZones.count > 1 else { return 0 }
    let agency = tables.routes[Int(tables.trips.routes[Int(trip)])].agency
    return agency == noRecord ? 0 : tables.agencyZones[Int(agency)]
  }

  /// Whether a trip begins about where another one ends.
  private func isNear(_ trip: UInt32, _ other: UInt32) -> Bool {
    let patterns = tables.patterns
    let pattern = patterns.patterns[Int(tables.trips.patterns[Int(trip)])]
    let next = patterns.patterns[Int(tables.trips.patterns[Int(other)])]
    let last = tables.stops[Int(patterns.stops[Int(pattern.first + pattern.count) - 1])]
    let first = tables.stops[Int(patterns.stops[Int(next.first)])]
    if last.root == first.root { return true }
    guard last.latitude != .min, first.latitude != .min else { return false }
    return last.meters(to: first) <= Self.mostMeters
  }
}

extension ContinuationRecord {
  /// Links of transfers.txt come first.
  fileprivate var rank: Int { flags.contains(.linked) ? 0 : 1 }
}

extension StopRecord {
  /// The meters to another stop, near enough for short ways; both have coordinates.
  fileprivate func meters(to other: StopRecord) -> Double {
    let north = Double(Int64(other.latitude) - Int64(latitude)) / 1e7
    var east = abs(Double(Int64(other.longitude) - Int64(longitude))) / 1e7
    if east > 180 { east = 360 - east }
    east *= cos(Double(latitude) / 1e7 * .pi / 180)
    return ServiceChanges.metersPerDegree * (north * north + east * east).squareRoot()
  }
}
