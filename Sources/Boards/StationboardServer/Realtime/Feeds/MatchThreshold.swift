/// The share of the trip updates of each feed that must match a trip of its timetable, in percent.
package struct MatchThreshold: Hashable, Sendable {
  private let usual: Int
  private let byPrefix: [String: Int]

  /// Creates the shares.
  ///
  /// - Parameters:
  ///   - usual: The share of feeds that have none of their own.
  ///   - byPrefix: The shares of feeds by their prefixes; empty for the one without.
  package init(usual: Int = MatchLimits.usualLeastPercent, byPrefix: [String: Int] = [:]) {
    self.usual = usual
    self.byPrefix = byPrefix
  }

  /// The share of a feed.
  package func percent(prefix: String) -> Int { byPrefix[prefix] ?? usual }
}
