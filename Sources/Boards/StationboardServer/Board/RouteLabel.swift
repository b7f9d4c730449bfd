import NIOCore
import Timetable

/// The route of a departure: line, category, number, operator and colors.
struct RouteLabel {
  /// The name of the line; empty if the feed gives none.
  var line: String
  /// The kind of service, such as `IC`, `S`, `B` or `T`.
  var category: String
  /// What follows the category.
  var number: String
  /// agency_name.
  var agency: String
  /// Whether trains run on it, for the display rules of delays.
  var isTrain: Bool
  /// Whether it is a substitute for trains.
  var isSubstitute: Bool
  /// The same as members of a JSON object, each with its comma.
  private(set) var json: [UInt8]

  /// Train categories that clients of the contract know; others become `R` with their whole name.
  private static let trains: Set<String> = [
    "IC", "IR", "EC", "EN", "R", "RE", "S", "ICE", "RJ", "RJX", "PE", "GPX", "TGV", "NJ", "SN",
    "EXT", "IRE", "ICN", "TER", "FR",
  ]

  init(_ route: RouteDescription) {
    line =
      if !route.shortName.isEmpty { route.shortName } else {
        Self.label(inRouteId: route.id) ?? route.longName
      }
    let mode = TransportMode(routeType: route.type)
    category = mode.category
    isTrain = mode == .rail
    isSubstitute = ReplacementService.isSubstitute(line)
    number = line
    if mode == .rail, let (letters, digits) = Self.split(line) {
      category = letters
      number = digits
    }
    agency = route.agency
    json = []
    json = Self.json(of: self, route)
  }

  /// "IR95" or "S 3" as letters and digits; `nil` if it is not a train category clients know.
  private static func split(_ line: String) -> (letters: String, digits: String)? {
    let letters = line.prefix { $0.isASCII && $0.isLetter }
    let rest = line.dropFirst(letters.count).drop { $0 == " " }
    guard
      trains.contains(letters.uppercased()), rest.count <= 5,
      rest.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == "-") })
    else { return nil }
    return (letters.uppercased(), String(rest))
  }

  /// The line that a Swiss route id names: `92-N1-H-j26-1` is N1, `ojp:92010:G:H:j26` is 10.
  static func label(inRouteId id: String) -> String? {
    func label(_ text: Substring) -> String? {
      let letters = text.prefix { $0.isASCII && $0.isLetter }
      let rest = text.dropFirst(letters.count).drop { $0 == "0" }
      let isLabel = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      return isLabel && !(letters.isEmpty && rest.isEmpty) ? String(letters + rest) : nil
    }
    if id.hasPrefix("ojp:92") {
      let text = id.dropFirst(6).prefix { $0 != ":" }.drop { $0 == "0" }
      return label(text)
    }
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard
      parts.count >= 4, !parts[0].isEmpty, parts[0].allSatisfy({ $0.isASCII && $0.isNumber }),
      parts[parts.count - 1].allSatisfy({ $0.isASCII && $0.isNumber }),
      parts[parts.count - 2].first == "j", parts[parts.count - 2].count == 3,
      parts[parts.count - 2].dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return label(parts[1])
  }

  private static func json(of label: RouteLabel, _ route: RouteDescription) -> [UInt8] {
    func color(_ value: UInt32?) -> String? {
      value.map { value in
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
      }
    }
    var json = JSONBytes(capacity: 512)
    json.raw("\"line\":")
    json.string(label.line.isEmpty ? nil : label.line)
    json.raw(",\"category\":")
    json.string(label.category)
    json.raw(",\"number\":")
    json.string(label.number.isEmpty ? nil : label.number)
    json.raw(",\"operator\":")
    json.string(label.agency.isEmpty ? nil : label.agency)
    json.raw(",\"routeType\":")
    json.integer(route.type)
    json.raw(",\"routeColor\":")
    json.string(color(route.color))
    json.raw(",\"routeTextColor\":")
    json.string(color(route.textColor))
    json.raw(",")
    return Array(json.buffer.readableBytesView)
  }
}
