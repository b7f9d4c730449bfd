/// The stop times of one trip while they are read: columns of equal length.
struct StopTimeRows {
  var sequences: [UInt32] = []
  var stops: [UInt32] = []
  var arrivals: [Int32] = []
  var departures: [Int32] = []
  var attributes: [UInt8] = []
  var headsigns: [UInt32] = []
  /// How far along its course each stop is; NaN where the feed does not say.
  var distances: [Double] = []

  /// The highest stop_sequence, and the places of all of them once many rows were compared.
  private var highest: UInt32?
  private var known: [UInt32: Int] = [:]
  /// Up to this many rows are searched.
  private static let few = 64

  /// Means "no time" in ``arrivals`` and ``departures``.
  static let blank = Int32.min

  var count: Int { sequences.count }

  mutating func removeAll() {
    sequences.removeAll(keepingCapacity: true)
    stops.removeAll(keepingCapacity: true)
    arrivals.removeAll(keepingCapacity: true)
    departures.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    headsigns.removeAll(keepingCapacity: true)
    distances.removeAll(keepingCapacity: true)
    highest = nil
    known.removeAll()
  }

  /// The place of the row with a stop_sequence; at once where the rows come in their order.
  mutating func place(of sequence: UInt32) -> Int? {
    guard let highest, sequence <= highest else { return nil }
    guard count > Self.few else { return sequences.firstIndex(of: sequence) }
    if known.isEmpty {
      known = Dictionary(zip(sequences, sequences.indices), uniquingKeysWith: { first, _ in first })
    }
    return known[sequence]
  }

  mutating func append(_ row: StopTimeRow) {
    if !known.isEmpty { known[row.sequence] = count }
    sequences.append(row.sequence)
    highest = max(highest ?? 0, row.sequence)
    stops.append(row.stop)
    arrivals.append(row.arrival)
    departures.append(row.departure)
    attributes.append(row.attributes)
    headsigns.append(row.headsign)
    distances.append(row.distance)
  }

  subscript(index: Int) -> StopTimeRow {
    StopTimeRow(
      sequence: sequences[index],
      stop: stops[index],
      arrival: arrivals[index],
      departure: departures[index],
      attributes: attributes[index],
      headsign: headsigns[index],
      distance: distances[index]
    )
  }

  /// Whether the trip arrives somewhere before it left the stop before.
  var runsBackwards: Bool {
    var index = 1
    while index < departures.count {
      guard arrivals[index] >= departures[index - 1] else { return true }
      index += 1
    }
    return false
  }

  /// Whether the rows are in the order of their stop_sequence, without repetition.
  var isOrdered: Bool {
    var index = 1
    while index < sequences.count {
      guard sequences[index - 1] < sequences[index] else { return false }
      index += 1
    }
    return true
  }
}

/// One row of stop_times.txt.
struct StopTimeRow {
  var sequence: UInt32
  var stop: UInt32
  var arrival: Int32
  var departure: Int32
  var attributes: UInt8
  var headsign: UInt32
  /// shape_dist_traveled; NaN where the feed does not say.
  var distance: Double

  /// Whether a row says the same as another one.
  func isCopy(of other: StopTimeRow) -> Bool {
    let isSamePlace = sequence == other.sequence && stop == other.stop
    let isSameTime = arrival == other.arrival && departure == other.departure
    let isSameDistance = distance == other.distance || (distance.isNaN && other.distance.isNaN)
    return isSamePlace && isSameTime && isSameDistance && attributes == other.attributes
      && headsign == other.headsign
  }
}

/// The distinct lists of shape_dist_traveled of a feed: what trips of one pattern share.
struct DistanceTable {
  private(set) var lists: [[Double]] = []
  /// The bytes that the lists take: as they are, and as what they are looked up by.
  private(set) var keptBytes = 0
  private var numbers: [[UInt64]: UInt32] = [:]

  /// The number of a list; ``noRecord`` for one in which no stop has a distance.
  mutating func number(of distances: [Double]) -> UInt32 {
    guard distances.contains(where: { !$0.isNaN }) else { return noRecord }
    let key = distances.map(\.bitPattern)
    if let number = numbers[key] { return number }
    let number = UInt32(lists.count)
    lists.append(distances)
    keptBytes += 16 * distances.count + 160
    numbers[key] = number
    return number
  }
}

/// The distinct stop sequences ("patterns") and running times ("profiles") of a feed.
///
/// A million trips share some ten thousand of each, which is why a timetable of 20 million stop
/// times fits into a few hundred megabytes.
struct PatternTable {
  private(set) var patterns: [PatternRecord] = []
  private(set) var stops: [UInt32] = []
  private(set) var sequences: [UInt32] = []
  private(set) var attributes: [UInt8] = []
  private(set) var headsigns: [UInt32] = []
  private(set) var times: [ProfileTime] = []
  private var profiles: [PatternRecord] = []
  private var patternSlots = [UInt32](repeating: 0, count: 4_096)
  private var profileSlots = [UInt32](repeating: 0, count: 4_096)

  /// The bytes that all of it takes.
  var keptBytes: Int {
    13 * stops.count + 8 * (times.count + patterns.count + profiles.count)
      + 4 * (patternSlots.count + profileSlots.count)
  }

  /// The number of the pattern of a trip's rows.
  mutating func pattern(of rows: StopTimeRows) -> UInt32 {
    var hash: UInt64 = 0
    for index in 0..<rows.count {
      hash = Self.mix(hash, UInt64(rows.stops[index]) << 32 | UInt64(rows.sequences[index]))
      hash = Self.mix(hash, UInt64(rows.attributes[index]) << 32 | UInt64(rows.headsigns[index]))
    }
    let mask = patternSlots.count - 1
    var slot = Int(truncatingIfNeeded: hash >> 20) & mask
    while patternSlots[slot] != 0 {
      let number = patternSlots[slot] - 1
      if matches(pattern: patterns[Int(number)], rows) { return number }
      slot = (slot + 1) & mask
    }
    let number = UInt32(patterns.count)
    patternSlots[slot] = number + 1
    patterns.append(PatternRecord(first: UInt32(stops.count), count: UInt32(rows.count)))
    stops.append(contentsOf: rows.stops)
    sequences.append(contentsOf: rows.sequences)
    attributes.append(contentsOf: rows.attributes)
    headsigns.append(contentsOf: rows.headsigns)
    if patterns.count * 2 > patternSlots.count { growPatterns() }
    return number
  }

  /// The place in ``times`` of a trip's running times.
  ///
  /// - Parameters:
  ///   - rows: The trip's stop times, complete and in order.
  ///   - start: The trip's first departure, which the times are relative to.
  /// - Returns: The place of the first time; the others follow.
  mutating func profile(of rows: StopTimeRows, start: Int32) -> UInt32 {
    var hash: UInt64 = UInt64(rows.count)
    for index in 0..<rows.count {
      let arrival = UInt32(bitPattern: rows.arrivals[index] - start)
      let departure = UInt32(bitPattern: rows.departures[index] - start)
      hash = Self.mix(hash, UInt64(arrival) << 32 | UInt64(departure))
    }
    let mask = profileSlots.count - 1
    var slot = Int(truncatingIfNeeded: hash >> 20) & mask
    while profileSlots[slot] != 0 {
      let profile = profiles[Int(profileSlots[slot]) - 1]
      if matches(profile: profile, rows, start) { return profile.first }
      slot = (slot + 1) & mask
    }
    let profile = PatternRecord(first: UInt32(times.count), count: UInt32(rows.count))
    profiles.append(profile)
    profileSlots[slot] = UInt32(profiles.count)
    for index in 0..<rows.count {
      times.append(
        ProfileTime(
          arrival: rows.arrivals[index] - start,
          departure: rows.departures[index] - start
        )
      )
    }
    if profiles.count * 2 > profileSlots.count { growProfiles() }
    return profile.first
  }

  /// The rows a pattern and a profile were made from.
  func rows(pattern: UInt32, profile: UInt32, start: Int32) -> StopTimeRows {
    var rows = StopTimeRows()
    let record = patterns[Int(pattern)]
    for index in 0..<Int(record.count) {
      let place = Int(record.first) + index
      let time = times[Int(profile) + index]
      rows.append(
        StopTimeRow(
          sequence: sequences[place],
          stop: stops[place],
          arrival: time.arrival + start,
          departure: time.departure + start,
          attributes: attributes[place],
          headsign: headsigns[place],
          distance: .nan
        )
      )
    }
    return rows
  }

  private func matches(pattern: PatternRecord, _ rows: StopTimeRows) -> Bool {
    guard Int(pattern.count) == rows.count else { return false }
    let first = Int(pattern.first)
    for index in 0..<rows.count {
      guard
        stops[first + index] == rows.stops[index],
        sequences[first + index] == rows.sequences[index],
        attributes[first + index] == rows.attributes[index],
        headsigns[first + index] == rows.headsigns[index]
      else { return false }
    }
    return true
  }

  private func matches(profile: PatternRecord, _ rows: StopTimeRows, _ start: Int32) -> Bool {
    guard Int(profile.count) == rows.count else { return false }
    for index in 0..<rows.count {
      let time = times[Int(profile.first) + index]
      guard
        time.arrival == rows.arrivals[index] - start,
        time.departure == rows.departures[index] - start
      else { return false }
    }
    return true
  }

  private mutating func growPatterns() {
    var slots = [UInt32](repeating: 0, count: patternSlots.count * 2)
    let mask = slots.count - 1
    for (number, pattern) in patterns.enumerated() {
      var hash: UInt64 = 0
      for place in Int(pattern.first)..<Int(pattern.first + pattern.count) {
        hash = Self.mix(hash, UInt64(stops[place]) << 32 | UInt64(sequences[place]))
        hash = Self.mix(hash, UInt64(attributes[place]) << 32 | UInt64(headsigns[place]))
      }
      var slot = Int(truncatingIfNeeded: hash >> 20) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
    patternSlots = slots
  }

  private mutating func growProfiles() {
    var slots = [UInt32](repeating: 0, count: profileSlots.count * 2)
    let mask = slots.count - 1
    for (number, profile) in profiles.enumerated() {
      var hash: UInt64 = UInt64(profile.count)
      for place in Int(profile.first)..<Int(profile.first + profile.count) {
        let arrival = UInt32(bitPattern: times[place].arrival)
        let departure = UInt32(bitPattern: times[place].departure)
        hash = Self.mix(hash, UInt64(arrival) << 32 | UInt64(departure))
      }
      var slot = Int(truncatingIfNeeded: hash >> 20) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
    profileSlots = slots
  }

  @inline(__always)
  private static func mix(_ hash: UInt64, _ value: UInt64) -> UInt64 {
    let product = (hash ^ value).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low &+ 0x2545_F491_4F6C_DD1D
  }
}
