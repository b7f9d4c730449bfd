extension BoardRequest {
  /// A request for the board of a stop, with the usual values of everything else.
  ///
  /// - Parameters:
  ///   - stop: The stop.
  ///   - limit: The most departures.
  ///   - window: Minutes.
  ///   - instant: The instant of the board when it is not now, in seconds since 1970-01-01T00:00:00Z.
  init(
    stop: StopResolver.Resolved,
    limit: Int = BoardLimits.usualLimit,
    window: Int = BoardLimits.usualWindow,
    instant: Double? = nil
  ) {
    self.stop = stop
    self.limit = limit
    self.window = window
    self.instant = instant
    language = nil
    includeAlerts = false
    isDebug = false
  }
}
