import ConditionalHTTP

/// Instants of the contract: RFC 3339, with or without fractions of a second.
public enum WorkspaceInstant: Sendable {
  /// Reads an instant.
  ///
  /// - Parameter text: The instant.
  /// - Returns: Seconds since 1970-01-01T00:00:00Z; `nil` if the text is not an instant.
  public static func read(_ text: String) -> Double? { InstantText.read(text) }
}
