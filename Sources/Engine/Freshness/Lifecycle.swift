/// Where the application stands, as its platform reports it (R11).
public enum Lifecycle: UInt8, Hashable, Sendable {
  /// Somebody can see it.
  case foreground
  /// It runs, and nobody can see it.
  case background
  /// It must not run: no requests, no timers.
  case suspended
}

/// What the device knows about its network (R24, R35).
public enum Connectivity: UInt8, Hashable, Sendable {
  /// There is a network.
  case online
  /// There is a network, and its use costs money or battery.
  case metered
  /// There is certainly no network.
  case offline
}
