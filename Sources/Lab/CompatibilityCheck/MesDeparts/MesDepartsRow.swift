import ConditionalHTTP
import StrictJSON

/// A row of the page's board, and how the page finds its trip among connections.
struct MesDepartsRow {
  let tripId: String
  let line: String
  let destination: String
  /// Seconds since 1970-01-01T00:00:00Z.
  let scheduled: Int64
  /// When it will really leave, in the same seconds; nothing where that is not known, or where it does not leave.
  let realtime: Int64?
  private let category: String
  private let number: String

  /// The categories that the page takes for trains.
  private static let trains: Set<String> = [
    "IC", "IR", "EC", "EN", "R", "RE", "S", "ICE", "RJ", "RJX", "PE", "GPX",
  ]

  /// Reads a departure; `nil` if the page cannot request its details.
  init?(_ departure: JSONValue) {
    guard let id = departure["trip_id"]?.string,
      let text = departure["scheduledDeparture"]?.string, let instant = InstantText.read(text),
      let destination = departure["destination"]?.string, !destination.isEmpty
    else { return nil }
    tripId = id
    scheduled = Int64(instant)
    let real = departure["cancelled"]?.bool == true ? nil : departure["realtimeDeparture"]?.string
    realtime = real.flatMap(InstantText.read).map { Int64($0) }
    self.destination = destination
    category = Self.category(departure["category"]?.string)
    number = departure["number"]?.string ?? ""
    line = departure["line"]?.string ?? number
  }

  private var isTrain: Bool { Self.trains.contains(category) }

  private static func category(_ text: String?) -> String {
    let text = (text ?? "").uppercased().filter { !$0.isWhitespace }
    return text == "B" ? "BUS" : text
  }

  /// `09` and `9` are one line, and so are `ir 95` and `IR95`.
  private static func lineToken(_ text: String) -> String {
    let token = text.uppercased().filter { !$0.isWhitespace }
    return Int(token).map(String.init) ?? token
  }

  /// The section that the page shows for the row: of those of its kind and line the one nearest in time; for trains, if
  /// no line fits, the nearest at all.
  func section(of connections: [JSONValue], from stop: String, name: String) -> JSONValue? {
    var strict: (score: Int64, section: JSONValue)?
    var relaxed: (score: Int64, section: JSONValue)?
    for section in connections.flatMap({ $0["sections"]?.list ?? [] }) {
      guard let leaves = section["departure"]?["departureTimestamp"]?.int64 else { continue }
      let journey = section["journey"]
      let other = Self.category(journey?["category"]?.string)
      if !category.isEmpty, !other.isEmpty, isTrain != Self.trains.contains(other) { continue }
      let calls = journey?["passList"]?.list ?? []
      let distance = abs(leaves - scheduled) + (Self.contains(calls, stop, name) ? 0 : 7_200)
      let isLine = fits(Self.lineToken(journey?["number"]?.string ?? ""), other)
      let score = distance + (isLine ? 0 : 3_600)
      if score < relaxed?.score ?? .max { relaxed = (score, section) }
      if isLine, distance < strict?.score ?? .max { strict = (distance, section) }
    }
    return strict?.section ?? (isTrain ? relaxed?.section : nil)
  }

  private func fits(_ otherNumber: String, _ otherCategory: String) -> Bool {
    let own = Self.lineToken(number.isEmpty ? line : number)
    if !own.isEmpty {
      if !isTrain, otherNumber.isEmpty { return false }
      if !otherNumber.isEmpty, own != otherNumber { return false }
    }
    return !isTrain || category.isEmpty || otherCategory.isEmpty || category == otherCategory
  }

  /// Whether a trip calls at a stop, by its id or by its name up to the comma.
  static func contains(_ calls: [JSONValue], _ stop: String, _ name: String) -> Bool {
    let head = name.prefix { $0 != "," }.lowercased().trimmed
    return calls.contains { call in
      call["station"]?["id"]?.string == stop
        || call["station"]?["name"]?.string?.lowercased().trimmed == head
    }
  }
}

extension String {
  /// The text without whitespace at its ends.
  fileprivate var trimmed: Substring {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
