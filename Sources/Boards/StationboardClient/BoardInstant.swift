import ConditionalHTTP
public import Freshness

/// Instants of the contract: RFC 3339, with or without fractions of a second.
public enum BoardInstant: Sendable {
  /// Reads an instant.
  ///
  /// - Returns: The instant, to the nearest millisecond; nothing if the text is none.
  public static func read(_ text: String) -> WallTime? {
    InstantText.read(text).map { WallTime(milliseconds: Int64(($0 * 1_000).rounded())) }
  }
}
