/// Delays of departures in fixed ranges.
///
/// A range includes its lower bound. The words of the ranges that people read are unions of these
/// (``Share``); median and quantiles are interpolated within a range.
package struct DelayHistogram: Hashable, Sendable {
  /// The lower bounds of all ranges but the first, in seconds.
  package static let bounds: [Int] = [
    -300, -180, -120, -60, -30, 0, 30, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1_200, 1_800,
    3_600,
  ]

  /// How late a departure is, in words.
  package enum Share: String, CaseIterable, Sendable {
    /// More than a minute before the timetable.
    case early
    /// At most a minute early, less than a minute late.
    case onTime
    /// 1 to 3 minutes late.
    case upTo3
    /// 3 to 5 minutes late.
    case upTo5
    /// 5 to 10 minutes late.
    case upTo10
    /// 10 minutes late or more.
    case over10

    /// The delays, in seconds: the first that belongs to it; the first one of the next share does not.
    var least: Int {
      switch self {
      case .early: .min
      case .onTime: -60
      case .upTo3: 60
      case .upTo5: 180
      case .upTo10: 300
      case .over10: 600
      }
    }
  }

  /// The departures in each range.
  private(set) var counts = [UInt32](repeating: 0, count: bounds.count + 1)

  /// An empty histogram.
  package init() {}

  /// A histogram with counts as ``bytes`` has them; `nil` if they are not such bytes.
  package init?(bytes: [UInt8]) {
    var reader = VarintReader(bytes)
    for place in counts.indices {
      guard let count = reader.next(), let value = UInt32(exactly: count) else { return nil }
      counts[place] = value
    }
    guard reader.isAtEnd else { return nil }
  }

  /// A histogram with the departures of each range; `nil` if there are more or fewer ranges.
  init?(counts: [UInt32]) {
    guard counts.count == self.counts.count else { return nil }
    self.counts = counts
  }

  /// The counts as bytes: a varint each.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for count in counts { Varint.append(UInt64(count), to: &bytes) }
    return bytes
  }

  /// The number of departures.
  package var total: Int { counts.reduce(0) { $0 + Int($1) } }

  /// Counts a departure with a delay in seconds, negative before its time.
  package mutating func add(_ delay: Int) { counts[Self.range(of: delay)] &+= 1 }

  /// Adds the departures of another histogram.
  package mutating func add(_ other: DelayHistogram) {
    for place in counts.indices { counts[place] &+= other.counts[place] }
  }

  private static func range(of delay: Int) -> Int {
    bounds.firstIndex { delay < $0 } ?? bounds.count
  }

  /// The departures of a share.
  package func count(_ share: Share) -> Int {
    let shares = Share.allCases
    let place = shares.firstIndex(of: share) ?? 0
    let first = place == 0 ? 0 : Self.range(of: share.least)
    let end = place + 1 < shares.count ? Self.range(of: shares[place + 1].least) : counts.count
    return counts[first..<end].reduce(0) { $0 + Int($1) }
  }

  /// The delay that a share of the departures does not exceed, in seconds, as far as the ranges tell.
  ///
  /// - Parameter share: 0 to 1.
  /// - Returns: The delay, interpolated within its range; a delay of the first or last range is its bound. `nil` without departures.
  package func quantile(_ share: Double) -> Int? {
    let total = total
    guard total > 0 else { return nil }
    let rank = share * Double(total)
    var before = 0.0
    for (place, count) in counts.enumerated() where count > 0 {
      let here = Double(count)
      if before + here >= rank {
        guard place > 0 else { return Self.bounds[0] }
        guard place < Self.bounds.count else { return Self.bounds[Self.bounds.count - 1] }
        let low = Double(Self.bounds[place - 1])
        let high = Double(Self.bounds[place])
        return Int((low + (high - low) * max(rank - before, 0) / here).rounded())
      }
      before += here
    }
    return Self.bounds[Self.bounds.count - 1]
  }
}

/// Writes whole numbers in as few bytes as they need (LEB128).
enum Varint {
  static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Reads what ``Varint`` wrote.
struct VarintReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  /// Reads the next number; returns `nil` at the end, and for bytes that are not a number.
  mutating func next() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 63, by: 7) {
      guard place < bytes.count else { return nil }
      let byte = bytes[place]
      place += 1
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}
