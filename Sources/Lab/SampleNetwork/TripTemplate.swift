/// The bytes and offsets all trips of a pattern have in common.
struct TripTemplate: Sendable {
  /// A row of `stop_times.txt` without the trip and its times.
  struct Row: Sendable {
    /// The seconds from the start of the trip to the arrival, negative if the call has no times.
    let arrival: Int
    /// The seconds from the start of the trip to the departure.
    let departure: Int
    /// Where the rest of the row begins and ends in the bytes of the template.
    let rest: Range<Int>
  }

  private(set) var rows: [Row] = []
  /// The ends of all rows, from the comma after the times to the new line.
  private(set) var rests: [UInt8] = []
  /// The seconds from the first departure to the last arrival.
  private(set) var duration = 0
  let headsign: String

  init(pattern: Pattern, line: Line, stops: [Stop]) {
    var calls = Array(line.calls[pattern.range])
    if pattern.direction == 1 { calls.reverse() }
    let last = calls.count - 1
    let headsign = stops[calls[last].stop].name
    self.headsign = headsign
    let middleSign = stops[calls[last / 2].stop].name.quotedForCSV
    var clock = 0
    for (index, call) in calls.enumerated() {
      if index > 0 {
        // Reversed, the way to a call belongs to the call before it.
        clock += 60 * (pattern.direction == 0 ? call.minutes : calls[index - 1].minutes)
      }
      let arrival = clock
      if index > 0, index < last { clock += line.kind.dwell }
      self.duration = arrival
      let isTimed =
        !line.features.contains(.untimed) || index % 3 == 0 || index == last
      let rules = TripTemplate.rules(line, pattern, index: index, last: last)
      var rest = ",\(stops[call.stop].callIdentifier(random: pattern.line * 2 + pattern.direction))"
      rest += ",\(index + 1),\(rules.pickup),\(rules.dropOff),"
      if line.features.contains(.loop) {
        rest += index < last / 2 ? middleSign : headsign.quotedForCSV
      }
      rest += isTimed ? ",1\n" : ",0\n"
      let start = self.rests.count
      self.rests.append(contentsOf: rest.utf8)
      self.rows.append(
        Row(arrival: isTimed ? arrival : -1, departure: clock, rest: start..<self.rests.count)
      )
    }
  }

  /// The pickup and drop-off types of a call.
  private static func rules(
    _ line: Line,
    _ pattern: Pattern,
    index: Int,
    last: Int
  ) -> (pickup: Int, dropOff: Int) {
    let isStrict = line.kind.isTrain || line.kind == .boat
    if index == 0 { return (0, isStrict ? 1 : 0) }
    if index == last { return (isStrict ? 1 : 0, 0) }
    guard line.features.contains(.alightOnly) else { return (0, 0) }
    return pattern.direction == 0 ? (0, 1) : (1, 0)
  }
}
