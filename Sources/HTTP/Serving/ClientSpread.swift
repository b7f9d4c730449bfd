/// The window after a foretold change over which a server asks its clients to spread (R31).
///
/// Clients that are told the same moment ask at the same moment. Few of them may: each is served at once, and
/// its data is as new as can be. More than the server answers with ease in a second are spread over as many
/// seconds as it needs, and never over more than makes the busiest second half as busy again as the mean:
/// beyond that a wider window costs age and brings nothing.
package enum ClientSpread {
  /// The widest window, in percent of the time between two changes: the busiest second is then 100/66 of the
  /// mean, and half a window is the age it costs.
  static let widestPercent: Double = 66
  /// The widest window, in seconds: whoever asks every 15 s asks again by then.
  static let widest: Double = 20

  /// The window, in seconds: whole ones, so that it does not move with every request.
  ///
  /// - Parameters:
  ///   - clients: How many are expected to ask after the change.
  ///   - period: The time between two changes, in seconds.
  ///   - ease: How many answers a second the server gives with ease (``ServerLimits/boardsPerSecond``).
  /// - Returns: The window; 0 for those that may all ask at once.
  package static func window(clients: Int, period: Double, ease: Int) -> Double {
    guard ease > 0, clients > ease, period.isFinite, period > 0 else { return 0 }
    let needed = (Double(clients) / Double(ease)).rounded(.up)
    return min(needed, period * widestPercent / 100, widest)
  }
}
