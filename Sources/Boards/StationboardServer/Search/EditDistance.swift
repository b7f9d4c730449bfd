/// Counts typing errors between two words.
enum EditDistance {
  /// The number of letters to add, drop, change or swap with their neighbour (optimal string
  /// alignment); `nil` if it is over the limit.
  static func between(_ left: [UInt8], _ right: [UInt8], limit: Int) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    var row = last
    for i in 1...left.count {
      row[0] = i
      var smallest = i
      for j in 1...right.count {
        let isSame = left[i - 1] == right[j - 1]
        var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1))
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          cost = min(cost, beforeLast[j - 2] + 1)
        }
        row[j] = cost
        smallest = min(smallest, cost)
      }
      guard smallest <= limit else { return nil }
      (beforeLast, last, row) = (last, row, beforeLast)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }

  /// How many errors a word may have: 1 up to four letters, 2 beyond (stationboard.md).
  static func allowed(for word: [UInt8]) -> Int { word.count <= 4 ? 1 : 2 }
}
