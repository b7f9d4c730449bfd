/// A summary of figures.
struct Figures: Sendable {
  private var sorted: [Int64]

  init(_ figures: [Int64]) { sorted = figures.sorted() }

  var isEmpty: Bool { sorted.isEmpty }
  /// The mean, rounded down.
  var mean: Int64 { sorted.isEmpty ? 0 : sorted.reduce(0, +) / Int64(sorted.count) }
  /// The maximum.
  var most: Int64 { sorted.last ?? 0 }
  /// Returns the figure that a share of all figures does not exceed (nearest rank).
  func percentile(_ percent: Int) -> Int64 {
    guard !sorted.isEmpty else { return 0 }
    return sorted[max((sorted.count * percent + 99) / 100, 1) - 1]
  }
}
