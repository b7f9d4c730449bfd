public import Freshness
import FreshnessRuntime

/// Instants of the contract: RFC 3339, with or without fractions of a second.
public enum BoardInstant: Sendable {
  /// Reads an instant.
  ///
  /// - Returns: The instant, to the nearest millisecond; `nil` if the string is not a valid
  ///   instant.
  public static func read(_ text: String) -> WallTime? {
    WallTime(instant: text)
  }
}
