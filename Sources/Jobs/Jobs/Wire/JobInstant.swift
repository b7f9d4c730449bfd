import ConditionalHTTP

/// Instants of messages: whole milliseconds since 1970-01-01T00:00:00Z.
public enum JobInstant: Sendable {
  /// The text of an instant, in UTC with milliseconds.
  ///
  /// - Parameter milliseconds: The instant.
  /// - Returns: Text like `2025-11-22T03:49:51.876Z`.
  public static func text(_ milliseconds: Int64) -> String {
    // Half a millisecond keeps the rounding down of the writer at the instant that is meant.
    InstantText.write((Double(milliseconds) + 0.5) / 1_000)
  }

  /// Reads an instant by RFC 3339.
  ///
  /// - Returns: Milliseconds since 1970; `nil` if the string is not a valid instant.
  public static func read(_ text: String) -> Int64? {
    InstantText.read(text).map { Int64(($0 * 1_000).rounded()) }
  }
}
