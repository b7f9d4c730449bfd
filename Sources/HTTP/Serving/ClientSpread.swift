/// Calculates the window after an announced change over which clients spread their requests (R31).
///
/// Clients that get the same instant ask at the same instant. A few may: each gets a response at once, and its
/// data is as new as possible. More clients than the server can easily answer in a second are spread over as many
/// seconds as it needs. The window never grows beyond the width at which the busiest second has half as many requests
/// again as the mean: a wider one only costs age.
package enum ClientSpread {
  /// The widest window, in percent of the time between two changes: the busiest second then has 100/66 of the mean, at
  /// the price of half a window of age.
  static let widestPercent: Double = 66
  /// The widest window, in seconds: a client that polls every 15 s asks again within it.
  static let widest: Double = 20

  /// The window in whole seconds, so that it does not change with every request.
  ///
  /// - Parameters:
  ///   - clients: How many clients are expected to ask after the change.
  ///   - period: The time between two changes, in seconds.
  ///   - ease: How many responses a second the server sends easily (``ServerLimits/boardsPerSecond``).
  /// - Returns: The window; 0 if all clients may ask at once.
  package static func window(clients: Int, period: Double, ease: Int) -> Double {
    guard ease > 0, clients > ease, period.isFinite, period > 0 else { return 0 }
    let needed = (Double(clients) / Double(ease)).rounded(.up)
    return min(needed, period * widestPercent / 100, widest)
  }
}
