/// How much an import may keep of a feed, in memory and in its timetable: in proportion to what the feed is stored in
/// (``FeedLimits/keptBytes``, ``FeedLimits/keptRatio``).
package struct FeedBudget: Hashable, Sendable {
  /// The bytes that the feed is stored in: those of its archive, or of the files of its folder.
  package let stored: Int
  /// The bytes that may be kept.
  package let bytes: Int

  /// Creates the budget of a feed.
  ///
  /// - Parameter stored: The bytes that it is stored in.
  package init(stored: Int) {
    self.stored = max(0, stored)
    let (share, isTooLarge) = self.stored.multipliedReportingOverflow(by: FeedLimits.keptRatio)
    bytes = isTooLarge ? .max : FeedLimits.keptBytes + min(share, .max - FeedLimits.keptBytes)
  }

  /// Refuses a feed of which too much would be kept.
  ///
  /// - Parameters:
  ///   - kept: How many bytes are kept.
  ///   - file: The file that is read.
  ///   - line: The line in it that is one too many.
  /// - Throws: ``FeedError`` with code `limitExceeded`.
  package func check(_ kept: Int, file: String, line: Int) throws(FeedError) {
    guard kept > bytes else { return }
    throw FeedError(
      .limitExceeded,
      "\(file), line \(line): more than \(bytes) bytes would be kept of this feed of \(stored) bytes"
        + " (the limit is \(FeedLimits.keptBytes), and \(FeedLimits.keptRatio) for each of its bytes):"
        + " its rows repeat themselves as those of no real feed do; one that is sound is imported when it is unpacked"
    )
  }
}
