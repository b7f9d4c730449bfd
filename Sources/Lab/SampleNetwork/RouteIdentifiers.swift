/// Identifiers of routes in the shape of the Swiss timetable, each given once.
///
/// An identifier such as `91-40-C-j26-1` has the number of a kind of company, the label, a letter
/// that tells apart lines of the same label, and the year.
struct RouteIdentifiers: Sendable {
  private var given: [String: Int] = [:]
  private let suffix: String

  init(day: SampleDay) {
    let year = String(day.year % 100)
    self.suffix = "-j" + String(repeating: "0", count: 2 - year.count) + year + "-1"
  }

  /// Returns the next identifier for a label; a route without one uses the given text.
  mutating func next(agency: Agency, label: String, absent: String = "0") -> String {
    let base = "\(agency.routePrefix)-\(label.isEmpty ? absent : label.filter { $0 != " " })"
    let count = self.given[base, default: 0]
    self.given[base] = count + 1
    return "\(base)-\(RouteIdentifiers.letters(count))\(self.suffix)"
  }

  /// Reserves an identifier and returns it, for a route with a known one.
  mutating func fixed(agency: Agency, label: String, letter: String) -> String {
    "\(agency.routePrefix)-\(label)-\(letter)\(self.suffix)"
  }

  /// Returns a number in letters: A to Z, then AA, AB and so on.
  private static func letters(_ count: Int) -> String {
    var text = ""
    var left = count
    repeat {
      text = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(left % 26))) + text
      left = left / 26 - 1
    } while left >= 0
    return text
  }
}
