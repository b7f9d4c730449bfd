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
    var before: [ArraySlice<UInt8>: ArraySlice<UInt8>] = [:]
    for row in from.rows { before[from.departures[row.key]] = from.departures[row.range] }
    json.raw("{\"removed\":[")
    let kept = Set(to.rows.map { to.departures[$0.key] })
    var isFirst = true
    for row in from.rows where !kept.contains(from.departures[row.key]) {
      if !isFirst { json.raw(",") }
      isFirst = false
      write(from.departures[row.key], &json)
    }
    json.raw("],\"departures\":[")
    isFirst = true
    for row in to.rows {
      let bytes = to.departures[row.range]
      guard before[to.departures[row.key]] != bytes else { continue }
      if !isFirst { json.raw(",") }
      isFirst = false
      bytes.withUnsafeBytes { json.raw($0) }
    }
    json.raw("],\"order\":[")
    for (index, row) in to.rows.enumerated() {
      if index > 0 { json.raw(",") }
      write(to.departures[row.key], &json)
    }
    json.raw("],")
  }

  /// Writes a key, which is escaped already.
  private func write(_ key: ArraySlice<UInt8>, _ json: inout JSONBytes) {
    json.raw("\"")
    key.withUnsafeBytes { json.raw($0) }
    json.raw("\"")
  }
}
