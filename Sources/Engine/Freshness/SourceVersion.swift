/// The order of answers about one thing by the time at which their data was made (R36).
///
/// Source time and revision are the version of an answer. Two answers of one source time are two
/// renderings of the same data, so that only the source times are ordered.
enum SourceVersion {
  /// Whether an answer is older than the copy at hand.
  ///
  /// A server whose clock lies far before the source time of the copy cannot have seen the clock that
  /// made it: one of the two was set. Their times are not ordered then, and the newer answer is the one
  /// that came later.
  ///
  /// - Parameters:
  ///   - marks: What the answer says.
  ///   - copy: The source time of the copy at hand.
  ///   - tolerance: How far a server's clock may lie before the copy's source time.
  /// - Returns: Whether the copy at hand stays.
  static func isOlder(_ marks: FreshnessMetadata, than copy: WallTime?, tolerance: Timespan) -> Bool
  {
    guard let made = marks.fetchedAt, let copy, made < copy else { return false }
    guard let served = marks.serverTime else { return true }
    return copy - served <= tolerance
  }
}
