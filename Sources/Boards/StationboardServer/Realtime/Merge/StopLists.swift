import Timetable

/// The calls of every stop with those of all stops below it, ordered by effective departure.
struct StopLists: Sendable {
  private var starts: [UInt32]
  private var calls: [UInt32]

  /// Lists calls by stop.
  ///
  /// A call is in the lists of its stop, of the stop it departs from instead, and of all stops
  /// above them, once in each.
  init(_ all: [RealtimeCall], _ directory: TimetableDirectory) {
    let stopCount = directory.timetable.stopCount
    var starts = [UInt32](repeating: 0, count: stopCount + 1)
    for call in all {
      Self.forEachStop(of: call, directory) { starts[Int($0) + 1] += 1 }
    }
    for stop in 0..<stopCount { starts[stop + 1] += starts[stop] }
    var calls = [UInt32](repeating: 0, count: Int(starts[stopCount]))
    var next = starts
    // In the order of time, calls come from all over the memory they are in. Their stops alone are a sixth
    // of it, which fits where the processor is near.
    let stops = all.map { $0.platform < RealtimeCall.firstText ? TimetableDirectory.none : $0.stop }
    for number in Self.order(all) {
      let stop = stops[Int(number)]
      if stop != TimetableDirectory.none {
        directory.forEachLevel(of: stop) { stop in
          calls[Int(next[Int(stop)])] = number
          next[Int(stop)] += 1
        }
      } else {
        Self.forEachStop(of: all[Int(number)], directory) { stop in
          calls[Int(next[Int(stop)])] = number
          next[Int(stop)] += 1
        }
      }
    }
    self.starts = starts
    self.calls = calls
  }

  /// The calls of a stop.
  @inline(__always)
  subscript(stop: Int) -> ArraySlice<UInt32> {
    calls[Int(starts[stop])..<Int(starts[stop + 1])]
  }

  /// Calls `body` with every stop whose board a call is on.
  @inline(__always)
  static func forEachStop(
    of call: RealtimeCall,
    _ directory: TimetableDirectory,
    _ body: (UInt32) -> Void
  ) {
    directory.forEachLevel(of: call.stop, body)
    guard call.platform < RealtimeCall.firstText else { return }
    directory.forEachLevel(of: call.platform) { stop in
      if !directory.contains(stop, call.stop) { body(stop) }
    }
  }

  /// The numbers of calls by effective departure: a radix sort, least significant digits first.
  private static func order(_ calls: [RealtimeCall]) -> [UInt32] {
    guard let first = calls.first else { return [] }
    var (least, most) = (first.effective, first.effective)
    for call in calls {
      least = min(least, call.effective)
      most = max(most, call.effective)
    }
    // Time and number in one: no pass has to look anything up.
    var order = calls.indices.map { number in
      UInt64(UInt32(bitPattern: calls[number].effective &- least)) << 32 | UInt64(number)
    }
    var sorted = order
    let digit: UInt64 = 11
    var shift: UInt64 = 0
    let span = UInt64(UInt32(bitPattern: most &- least))
    while shift < 32, shift == 0 || span >> shift != 0 {
      var starts = [Int](repeating: 0, count: 1 << Int(digit) + 1)
      let mask = UInt64(1) << digit - 1
      func key(_ entry: UInt64) -> Int { Int(entry >> (32 + shift) & mask) }
      for entry in order { starts[key(entry) + 1] += 1 }
      for place in 1..<starts.count { starts[place] += starts[place - 1] }
      for entry in order {
        let value = key(entry)
        sorted[starts[value]] = entry
        starts[value] += 1
      }
      swap(&order, &sorted)
      shift += digit
    }
    return order.map { UInt32(truncatingIfNeeded: $0) }
  }
}
