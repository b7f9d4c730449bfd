/// A way trips take along a line, and how many of them are wanted.
struct Pattern: Sendable {
  /// The place of the line in the plan.
  let line: Int
  /// The number of the pattern within its line, from 1.
  let number: Int
  let direction: Int
  /// The calls of the line that are made.
  let range: Range<Int>
  let mix: ServiceMix
  /// The trips wanted over all services.
  let wanted: Double
  /// The trips, if their number does not follow the stop times asked for.
  let fixed: Int?
  let tier: Line.Tier

  /// The patterns of a line: all of it both ways, then shorter ways at busy hours.
  static func all(of line: Line, at index: Int) -> [Pattern] {
    let whole = line.calls.indices
    let directions = line.runsBothWays ? [0, 1] : [0]
    let fixed = line.isFrequency ? line.mix.shares.count : nil
    var patterns: [Pattern] = []
    func add(_ direction: Int, _ range: Range<Int>, _ mix: ServiceMix, _ perDay: Double) {
      patterns.append(
        Pattern(
          line: index,
          number: patterns.count + 1,
          direction: direction,
          range: range,
          mix: mix,
          wanted: perDay * mix.weight,
          fixed: fixed,
          tier: range == whole && patterns.count < 2 ? line.tier : .more
        )
      )
    }
    for direction in directions { add(direction, whole, line.mix, line.perDay) }
    if line.features.contains(.extras) {
      for direction in directions { add(direction, whole, .dates, 2) }
    }
    let isPlain = line.features.isSubset(of: [.extras])
    if isPlain, whole.count >= 6 {
      switch line.mix {
      case .daily, .weekly, .rural, .split:
        let short = whole.count / 2 - 1..<whole.count
        for direction in directions { add(direction, short, .peaks, max(2, line.perDay / 4)) }
      case .peaks, .school, .nights, .nightly, .dates: break
      }
    }
    return patterns
  }
}
