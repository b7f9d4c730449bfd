/// The distribution of figures: exact, by nearest rank.
package struct Distribution: Hashable, Sendable {
  /// The figures, in ascending order.
  package let values: [Int64]

  /// Creates a distribution.
  package init(_ values: some Sequence<Int64>) { self.values = values.sorted() }

  /// The number of figures.
  package var count: Int { values.count }
  /// The minimum.
  package var least: Int64? { values.first }
  /// The maximum.
  package var greatest: Int64? { values.last }

  /// Returns the smallest figure that is not below the given percentage of all (nearest rank).
  ///
  /// - Parameter percent: 1 to 100.
  /// - Returns: The figure, or `nil` without figures.
  package func percentile(_ percent: Int) -> Int64? {
    guard !values.isEmpty else { return nil }
    let rank = (values.count * percent + 99) / 100
    return values[min(max(rank, 1), values.count) - 1]
  }

  /// The mean.
  package var mean: Double? {
    values.isEmpty ? nil : values.reduce(0) { $0 + Double($1) } / Double(values.count)
  }

  /// The standard deviation of these figures (of the population).
  package var deviation: Double? {
    guard let mean else { return nil }
    let sum = values.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
    return (sum / Double(values.count)).squareRoot()
  }

  /// Returns the number of figures in each of several equal parts from 0 to the maximum.
  package func parts(_ count: Int) -> [Int] {
    var parts = [Int](repeating: 0, count: max(count, 1))
    guard let greatest, greatest > 0 else {
      parts[0] = values.count
      return parts
    }
    for value in values {
      let place = Double(max(value, 0)) / Double(greatest) * Double(parts.count)
      parts[min(Int(place), parts.count - 1)] += 1
    }
    return parts
  }
}
