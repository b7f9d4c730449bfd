/// The order of responses about one resource, by the time at which their data was made (R36).
///
/// Source time and revision are the version of a response. Two responses with one source time are
/// two renderings of the same data, so only the source times are ordered.
enum SourceVersion {
  /// Returns whether a response is older than the current copy.
  ///
  /// A server whose clock is far behind the source time of the copy cannot have seen the clock that
  /// made it: one of the two was set. Their times are then not ordered, and the newer response is
  /// the one that arrived later.
  ///
  /// - Parameters:
  ///   - marks: The metadata of the response.
  ///   - copy: The source time of the current copy.
  ///   - tolerance: How far a server's clock may be behind the copy's source time.
  /// - Returns: Whether the current copy stays.
  static func isOlder(_ marks: FreshnessMetadata, than copy: WallTime?, tolerance: Timespan) -> Bool
  {
    guard let made = marks.fetchedAt, let copy, made < copy else { return false }
    guard let served = marks.serverTime else { return true }
    return copy - served <= tolerance
  }
}
