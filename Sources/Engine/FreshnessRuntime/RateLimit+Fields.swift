import ConditionalHTTP
import Freshness
import HTTPTypes

extension RateLimit {
  /// Reads the fields of a response; returns `nil` if they are missing or not readable.
  ///
  /// Reads `RateLimit` in its forms (`"default";r=50;t=30`, and the older `limit=100, remaining=50,
  /// reset=30`), then `RateLimit-Remaining` and `RateLimit-Reset`, then these two with the prefix
  /// `X-`. Of several limits, the one with the fewest remaining requests counts. A reset in Unix time, which some servers send, is
  /// measured from `Date`.
  init?(fields: HTTPFields) {
    if let name = HTTPField.Name("RateLimit"), let limit = Self.limit(fields[values: name]) {
      self = limit
      return
    }
    for prefix in ["RateLimit", "X-RateLimit"] {
      guard
        let remaining = Self.number("\(prefix)-Remaining", upTo: Self.mostRemaining, in: fields),
        let reset = Self.untilReset("\(prefix)-Reset", in: fields)
      else { continue }
      self.init(remaining: remaining, reset: .seconds(reset))
      return
    }
    return nil
  }

  /// The longest reset in seconds; greater numbers are instants.
  private static let longestReset: Int64 = 86_400
  private static let mostRemaining: Int64 = 1_000_000_000
  /// The last instant of four-digit years, as in `Date`.
  private static let lastInstant: Int64 = 253_402_300_799

  private static func untilReset(_ name: String, in fields: HTTPFields) -> Int64? {
    guard let reset = number(name, upTo: lastInstant, in: fields) else { return nil }
    if reset <= longestReset { return reset }
    guard let field = fields[values: .date].first,
      let date = HTTPDate(parsing: field, now: reset)
    else { return nil }
    let left = reset - date.secondsSince1970
    return (0...longestReset).contains(left) ? left : nil
  }

  private static func number(_ name: String, upTo limit: Int64, in fields: HTTPFields) -> Int64? {
    guard let field = HTTPField.Name(name).flatMap({ fields[values: $0].first }) else { return nil }
    return number(field, upTo: limit)
  }

  private static func number(_ text: some StringProtocol, upTo limit: Int64) -> Int64? {
    let digits = text.drop { $0 == " " }.prefix { $0 != " " }
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(digits) else {
      return nil
    }
    return number <= limit ? number : nil
  }

  private static func limit(_ values: [String]) -> RateLimit? {
    var tightest: RateLimit?
    var older: (remaining: Int64?, reset: Int64?)
    for item in values.joined(separator: ",").split(separator: ",") {
      var found: (remaining: Int64?, reset: Int64?)
      for part in item.split(separator: ";") {
        let pair = part.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { continue }
        switch pair[0].filter({ $0 != " " }) {
        case "r": found.remaining = number(pair[1], upTo: mostRemaining)
        case "t": found.reset = number(pair[1], upTo: longestReset)
        case "remaining": older.remaining = number(pair[1], upTo: mostRemaining)
        case "reset": older.reset = number(pair[1], upTo: longestReset)
        default: break
        }
      }
      guard let remaining = found.remaining, let reset = found.reset else { continue }
      if tightest.map({ remaining < $0.remaining }) ?? true {
        tightest = RateLimit(remaining: remaining, reset: .seconds(reset))
      }
    }
    if let tightest { return tightest }
    guard let remaining = older.remaining, let reset = older.reset else { return nil }
    return RateLimit(remaining: remaining, reset: .seconds(reset))
  }
}
