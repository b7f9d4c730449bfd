/// How a server ends, by a configuration file; absent settings are `nil`.
package struct ShutdownSettings: Hashable, Sendable {
  /// The most seconds of either time.
  package static let longest: Int64 = 600

  /// How long it serves on after it says that it is not ready, in seconds.
  package var drainSeconds: Int?
  /// How long the requests under way have after that, in seconds.
  package var closeSeconds: Int?

  init(_ object: SettingsObject) throws(SettingsError) {
    var object = object
    drainSeconds = try object.whole("drainSeconds", 0...Self.longest)
    closeSeconds = try object.whole("closeSeconds", 0...Self.longest)
    try object.end()
  }
}
