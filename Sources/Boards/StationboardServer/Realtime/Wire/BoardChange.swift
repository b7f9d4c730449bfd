/// The difference between two versions of a board.
struct BoardChange {
  private let from: RenderedBoard
  private let to: RenderedBoard

  init(from: RenderedBoard, to: RenderedBoard) {
    self.from = from
    self.to = to
  }

  /// Writes `{"removed":[…],"departures":[…],"order":[…],` without the closing bracket.
  func write(_ json: inout JSONBytes) {
    var before: [String: ArraySlice<UInt8>] = [:]
    for row in from.rows { before[row.key] = from.departures[row.range] }
    json.raw("{\"removed\":[")
    let kept = Set(to.rows.map(\.key))
    var isFirst = true
    for row in from.rows where !kept.contains(row.key) {
      if !isFirst { json.raw(",") }
      isFirst = false
      json.string(row.key)
    }
    json.raw("],\"departures\":[")
    isFirst = true
    for row in to.rows {
      let bytes = to.departures[row.range]
      guard before[row.key] != bytes else { continue }
      if !isFirst { json.raw(",") }
      isFirst = false
      bytes.withUnsafeBytes { json.raw($0) }
    }
    json.raw("],\"order\":[")
    for (index, row) in to.rows.enumerated() {
      if index > 0 { json.raw(",") }
      json.string(row.key)
    }
    json.raw("],")
  }
}
