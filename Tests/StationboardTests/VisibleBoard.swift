import GTFSRealtime

@testable import StationboardServer

extension MergedBoard {
  /// A digest of the departures as people see them.
  var visibleHash: UInt64 {
    let writer = DepartureRows(
      feed: request.stop.feed,
      language: nil,
      realtime: realtime,
      vehicles: vehicles
    )
    var json = JSONBytes()
    var gaps: [Range<Int>] = []
    for (place, row) in rows.enumerated() {
      writer.write(row, at: place, &json, sourceTimes: &gaps)
    }
    var seen: [UInt8] = []
    for (place, byte) in json.array.enumerated() where !gaps.contains(where: { $0 ~= place }) {
      seen.append(byte)
    }
    return FeedDigest(seen).hash
  }
}

extension AlertSelection {
  /// A digest of the alerts as people see them; 0 without alerts.
  func visibleHash(rows: Int) -> UInt64 {
    guard !isEmpty else { return 0 }
    var json = JSONBytes()
    writeBanners(&json, prefix: "")
    for row in 0..<rows { writeAlerts(ofRow: row, &json, prefix: "") }
    writeEntities(&json, prefix: "")
    return FeedDigest(json.array).hash
  }
}
