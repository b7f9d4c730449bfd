/// The lifecycle state of the application, as its platform reports it (R11).
public enum Lifecycle: UInt8, Hashable, Sendable {
  /// The app is visible.
  case foreground
  /// The app runs but is not visible.
  case background
  /// The app must not run: no requests, no timers.
  case suspended
}

/// What the device knows about its network (R24, R35).
public enum Connectivity: UInt8, Hashable, Sendable {
  /// A network is available.
  case online
  /// A network is available, but using it costs money or battery.
  case metered
  /// No network is available, with certainty.
  case offline
}
