import Foundation

/// Instants as RFC 3339 writes them.
package enum InstantText {
  /// Reads an instant with `Z` or an offset, with or without fractions of a second.
  ///
  /// - Returns: Seconds since 1970-01-01T00:00:00Z; `nil` if the text is not an instant.
  package static func read(_ text: String) -> Double? {
    let plain = Date.ISO8601FormatStyle()
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let date = (try? plain.parse(text)) ?? (try? fractional.parse(text))
    return date?.timeIntervalSince1970
  }

  /// An instant in UTC with milliseconds, `2026-11-24T07:00:00.000Z`.
  package static func write(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
