import Freshness

/// Decides when a gap in the device's time counts as sleep.
enum HostSleep {
  /// The minimum gap; smaller ones are clock differences.
  static let least = Timespan.seconds(1)
  /// How late an alarm is on a busy device; one that is later fired after a sleep.
  static let latestAlarm = Timespan.seconds(2)
}
