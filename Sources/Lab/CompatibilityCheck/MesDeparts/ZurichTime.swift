import Foundation

/// Dates and times as the page writes them: by the clocks of Zurich, wherever the reader is.
enum ZurichTime {
  /// Writes an instant.
  ///
  /// - Parameter seconds: Seconds since 1970-01-01T00:00:00Z.
  /// - Returns: `YYYY-MM-DD` and `HH:MM`.
  static func text(_ seconds: Int64) -> (date: String, time: String) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "Europe/Zurich") ?? .gmt
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute],
      from: Date(timeIntervalSince1970: TimeInterval(seconds))
    )
    func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
    return (
      "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))",
      "\(two(parts.hour)):\(two(parts.minute))"
    )
  }
}
