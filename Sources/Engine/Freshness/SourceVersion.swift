/// The order of responses about one resource, by the time at which their data was made (R36).
///
/// Source time and revision are the version of a response. Two responses with one source time are
/// two renderings of the same data, so only the source times are ordered.
enum SourceVersion {
  /// Returns whether a response is older than the current copy.
  ///
  /// A server whose clock is far behind the source time of the copy cannot have seen the clock that
  /// made it: one of the two was set, and their times are not ordered. A copy that an edge has kept for as long looks the same, so
  /// the clock counts as set only once a second response confirms it.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the response.
  ///   - copy: The source time of the current copy.
  ///   - tolerance: How far a server's clock may be behind the copy's source time.
  ///   - isConfirmed: Whether the server's clock is what the response shows.
  /// - Returns: Whether the current copy stays.
  static func isOlder(
    _ metadata: FreshnessMetadata,
    than copy: WallTime?,
    tolerance: Instant.Duration,
    isConfirmed: Bool
  ) -> Bool {
    guard let made = metadata.fetchedAt, let copy, made < copy else { return false }
    guard let served = metadata.serverTime else { return true }
    return copy - served <= tolerance + max(metadata.transit, .zero) || !isConfirmed
  }
}
