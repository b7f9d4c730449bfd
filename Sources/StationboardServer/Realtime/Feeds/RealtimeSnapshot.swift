/// The realtime of one timetable between two ticks; requests read it and nothing else.
struct RealtimeSnapshot: Sendable {
  /// Counts the changes of what follows; equal numbers are equal contents.
  var tick: UInt64 = 0
  /// The source of trip updates.
  var trips = SourceStanding()
  /// What the trip updates mean for the timetable.
  var index: RealtimeIndex?
  /// The source of alerts.
  var alerts = SourceStanding()
  /// When a publication last changed what is known of alerts, on the service clock.
  var alertsChangedAt: Double?
  /// What the alerts are about.
  var alertIndex: AlertIndex?
}
