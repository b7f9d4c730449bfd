extension FeedHeader {
  /// The instant at which the content was made, if plausible, in seconds since
  /// 1970-01-01T00:00:00Z: never after the arrival; `nil` without a plausible timestamp.
  package func sourceTime(arrivedAt instant: Int64) -> Int64? {
    guard let timestamp, Self.isPlausible(timestamp, at: instant) else { return nil }
    return min(Int64(timestamp), instant)
  }

  /// The timestamp, if it can order publications: plausible, and not further
  /// ahead than clocks may differ.
  func orderTime(arrivedAt instant: Int64, futureTolerance: Int64) -> Int64? {
    guard let timestamp, Self.isPlausible(timestamp, at: instant) else { return nil }
    return Int64(timestamp) > instant + futureTolerance ? nil : Int64(timestamp)
  }

  /// Returns what is implausible about the header of a feed that arrived at an instant, in seconds
  /// since 1970-01-01T00:00:00Z, if clocks may differ by `futureTolerance` seconds.
  package func notes(arrivedAt instant: Int64, futureTolerance: Int64) -> [FeedNote] {
    var notes: [FeedNote] = []
    if !["1.0", "2.0", "1", "2"].contains(version) { notes.append(.unknownVersion(version)) }
    if case .unknown(let number) = incrementality { notes.append(.unknownIncrementality(number)) }
    guard let timestamp else { return notes + [.noTimestamp] }
    if !Self.isPlausible(timestamp, at: instant) {
      notes.append(.implausibleTimestamp(timestamp))
    } else if Int64(timestamp) > instant + futureTolerance {
      notes.append(.timestampInFuture(seconds: Int64(timestamp) - instant))
    }
    return notes
  }

  /// Between 2000 and two years after the arrival.
  private static func isPlausible(_ timestamp: UInt64, at instant: Int64) -> Bool {
    guard let seconds = Int64(exactly: timestamp) else { return false }
    return seconds >= 946_684_800 && seconds - 2 * 366 * 86_400 <= instant
  }
}
