import Freshness

/// Decides when a gap in the device's time counts as sleep.
enum HostSleep {
  /// The minimum gap; smaller ones are clock differences.
  static let least = Instant.Duration.seconds(1)
  /// How late an alarm is on a busy device; one that is later fired after a sleep.
  static let latestAlarm = Instant.Duration.seconds(2)
}
