/// What responses show of the server's clock: the interval in which it is, for data that states when
/// it was made and nothing else (R37).
struct ServerClock: Hashable, Sendable {
  /// The server's clock minus the device's timeline, at most.
  private var greatest = Timespan.zero
  /// How much less it may be, in milliseconds; below zero if no response has shown it.
  private var width: Int32 = -1

  /// Updates the interval with one response.
  ///
  /// Two responses that agree make it narrower. If they do not agree, the one that shows the later
  /// time is right: the other was in a cache that did not say so. Only a difference of more than the
  /// tolerance means that the clock was set back (R36).
  ///
  /// - Parameters:
  ///   - served: The server's time when it responded, at least.
  ///   - range: How much later it may be on arrival.
  ///   - now: When the response arrived.
  ///   - tolerance: How far the clock may seem to go back without having been set.
  mutating func note(_ served: WallTime, range: Timespan, at now: Moment, tolerance: Timespan) {
    let least = served - WallTime(milliseconds: now.milliseconds)
    let most = least + max(range, .zero)
    let before = greatest - .milliseconds(Int64(width))
    guard width >= 0, least <= greatest, before - most <= tolerance else {
      (greatest, width) = (most, Int32(clamping: (most - least).milliseconds))
      return
    }
    guard most >= before else { return }
    greatest = min(greatest, most)
    width = Int32(clamping: (greatest - max(least, before)).milliseconds)
  }

  /// Returns the server's time at an instant, at its latest, or `nil` if no response has shown it.
  func latest(at now: Moment) -> WallTime? {
    guard width >= 0 else { return nil }
    return WallTime(milliseconds: (greatest + .milliseconds(now.milliseconds)).milliseconds)
  }
}
