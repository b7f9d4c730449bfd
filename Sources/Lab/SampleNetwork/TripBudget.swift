/// The number of trips that each pattern gets for the requested stop times.
struct TripBudget: Sendable {
  /// The trips, in the order of the patterns.
  private(set) var trips: [Int] = []
  /// The stop times these trips have.
  private(set) var stopTimes = 0

  /// Divides stop times among patterns in proportion to the trips they want.
  ///
  /// Lines between real stops keep a trip in each direction whatever was asked for. Then, as long
  /// as the stop times suffice, so does each line that is the only one at some of its stops. When
  /// there is plenty left, lines between real stops keep all the trips they want.
  ///
  /// - Parameters:
  ///   - patterns: The patterns to give trips to.
  ///   - target: The stop times asked for, or nothing for the trips the patterns want.
  init(patterns: [Pattern], target: Int?) {
    let least = TripBudget.least(patterns, target: target)
    var factor = 1.0
    if let target { factor = TripBudget.factor(patterns, least: least, target: target) }
    var carry = 0.0
    for (index, pattern) in patterns.enumerated() {
      let length = Double(pattern.range.count)
      var count = pattern.fixed ?? least[index]
      if pattern.fixed == nil {
        let ideal = max(Double(least[index]), pattern.wanted * factor)
        count = max(least[index], Int(ideal + carry / length + 0.5))
        carry += (ideal - Double(count)) * length
      }
      self.trips.append(count)
      self.stopTimes += count * pattern.range.count
    }
  }

  /// The fewest trips each pattern gets.
  private static func least(_ patterns: [Pattern], target: Int?) -> [Int] {
    func least(_ tier: Line.Tier, directions: Int, isGenerous: Bool = false) -> [Int] {
      patterns.map { pattern in
        if let fixed = pattern.fixed { return fixed }
        if pattern.tier == .known { return isGenerous ? max(1, Int(pattern.wanted)) : 1 }
        return pattern.tier.rawValue <= tier.rawValue && pattern.direction < directions ? 1 : 0
      }
    }
    func rows(_ trips: [Int]) -> Int {
      zip(trips, patterns).reduce(0) { $0 + $1.0 * $1.1.range.count }
    }
    let target = target ?? .max
    let generous = least(.cover, directions: 2, isGenerous: true)
    if rows(generous) <= target / 4 * 3 { return generous }
    for directions in [2, 1] {
      let covering = least(.cover, directions: directions)
      if rows(covering) <= target { return covering }
    }
    return least(.known, directions: 2)
  }

  /// Returns the factor on the wanted trips that gives the requested stop times, found by
  /// bisection.
  private static func factor(_ patterns: [Pattern], least: [Int], target: Int) -> Double {
    func stopTimes(_ factor: Double) -> Double {
      zip(patterns, least).reduce(0) { sum, pair in
        let (pattern, least) = pair
        let trips = pattern.fixed.map { Double($0) } ?? max(Double(least), pattern.wanted * factor)
        return sum + trips * Double(pattern.range.count)
      }
    }
    var low = 0.0
    var high = 1.0
    while stopTimes(high) < Double(target) { high *= 2 }
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if stopTimes(middle) < Double(target) { low = middle } else { high = middle }
    }
    return high
  }
}
