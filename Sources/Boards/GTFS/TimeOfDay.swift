/// A time within a service day as GTFS writes it, `H:MM:SS` with hours past 24.
package enum TimeOfDay {
  /// The content of a field.
  package enum Field: Hashable, Sendable {
    /// Seconds after 0:00 of the service day.
    case seconds(Int32)
    /// Nothing: the stop has no time of its own.
    case blank
    /// Neither a time nor nothing.
    case malformed
  }

  /// Reads a field.
  package static func read(_ text: UnsafeRawBufferPointer) -> Field {
    let count = text.count
    guard count > 0 else { return .blank }
    // H:MM:SS up to HHH:MM:SS, read from the back.
    guard count >= 7, count <= 9, text[count - 3] == 0x3A, text[count - 6] == 0x3A else {
      return .malformed
    }
    func digit(_ index: Int) -> Int32 {
      let value = Int32(text[index]) - 0x30
      return value >= 0 && value <= 9 ? value : 1_000_000
    }
    let second = digit(count - 2) * 10 + digit(count - 1)
    let minute = digit(count - 5) * 10 + digit(count - 4)
    var hour: Int32 = 0
    for index in 0..<(count - 6) { hour = hour * 10 + digit(index) }
    guard second < 60, minute < 60, hour < 1000 else { return .malformed }
    let seconds = hour * 3600 + minute * 60 + second
    return seconds <= Int32(FeedLimits.latestTime) ? .seconds(seconds) : .malformed
  }

  /// Seconds as `HH:MM:SS`.
  package static func text(_ seconds: Int) -> String {
    func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(pad(seconds / 3600)):\(pad(seconds / 60 % 60)):\(pad(seconds % 60))"
  }
}
