/// How a server ends.
package struct ShutdownLimits: Hashable, Sendable {
  /// The most seconds of either time.
  package static let longest = 600

  /// How long it continues after it says that it is not ready, in seconds.
  package var drainSeconds = 0
  /// How long the requests under way have after that, in seconds; then they are cut off.
  package var closeSeconds = 20

  /// The usual times.
  package init() {}
}
