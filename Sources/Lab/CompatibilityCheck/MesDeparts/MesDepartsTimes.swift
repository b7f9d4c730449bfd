import ConditionalHTTP
import StrictJSON

/// The times of trip details, which are stated twice: as local texts and as numbers, as a delay and as a prognosis.
enum MesDepartsTimes {
  /// How far the realtime of a row and of its details may be apart, in seconds: they are asked for one after the other.
  private static let tolerance: Int64 = 120

  /// Adds a fault for each stop whose times contradict each other.
  static func check(_ calls: [JSONValue], _ check: StepCheck) {
    for (place, call) in calls.enumerated() {
      let path = "passList[\(place)]"
      for name in ["departure", "arrival"] {
        guard let text = call[name]?.string else { continue }
        guard let instant = instant(text) else {
          check.fault("\(path).\(name): expected a local time with its offset, found \"\(text)\"")
          continue
        }
        if let number = call[name + "Timestamp"]?.int64 {
          check.expect(
            number == instant,
            "\(path).\(name)Timestamp: expected \(instant) as \(text) is, found \(number)"
          )
        }
      }
      // The delay is that of the departure, of the last stop that of the arrival.
      let name = call["departure"]?.string == nil ? "arrival" : "departure"
      guard let delay = call["delay"]?.int64, let planned = call[name]?.string.flatMap(instant),
        let text = call["prognosis"]?[name]?.string
      else { continue }
      guard let known = instant(text) else {
        check.fault("\(path).prognosis.\(name): expected a local time, found \"\(text)\"")
        continue
      }
      check.expect(
        abs(known - planned - delay * 60) < 60,
        "\(path).delay: expected \((known - planned) / 60) min as the prognosis has it, found \(delay)"
      )
    }
  }

  /// Adds a fault if a row is late and its details know nothing of that, or another time.
  static func check(_ departure: JSONValue?, of row: MesDepartsRow, _ check: StepCheck) {
    guard let realtime = row.realtime, abs(realtime - row.scheduled) >= 60 else { return }
    let known = departure?["prognosis"]?["departure"]?.string.flatMap(instant)
    check.expect(
      known.map { abs($0 - realtime) <= tolerance } ?? false,
      "prognosis.departure: expected \(realtime) as the row has it, found \(known.map(String.init) ?? "nothing")"
    )
  }

  /// The seconds since 1970-01-01T00:00:00Z of a time whose offset may be written without a colon.
  private static func instant(_ text: String) -> Int64? {
    var text = text
    if let sign = text.utf8.dropLast(4).last, sign == 0x2B || sign == 0x2D {
      text.insert(":", at: text.index(text.endIndex, offsetBy: -2))
    }
    return InstantText.read(text).map { Int64($0) }
  }
}
