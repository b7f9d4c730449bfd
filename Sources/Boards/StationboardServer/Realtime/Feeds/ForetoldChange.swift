/// The server's announcement of the next publication of a source (R31).
struct ForetoldChange: Hashable, Sendable {
  /// When it is expected to be here, on the service clock.
  var expectedAt: Double
  /// Which part of the last publications would have been here by such an instant.
  var quantile: Double
  /// The window after that instant over which clients are asked to spread, in seconds.
  var spread: Double

  /// How long a response may be used, for `Cache-Control`.
  ///
  /// Until the publication is expected, plus the client's place in the window: this spreads clients that read only this
  /// field as well.
  ///
  /// - Parameters:
  ///   - place: The place of this answer in the window, from 0 up to 1.
  ///   - now: The service clock.
  /// - Returns: Seconds.
  func maxAge(place: Double, at now: Double) -> Int {
    let length = expectedAt - now + spread * min(max(place, 0), 1)
    return Int(min(max(length, 0), Self.longestMaxAge))
  }

  /// The longest `max-age`, in seconds.
  static let longestMaxAge: Double = 60
}
