/// The realtime of one timetable between two ticks; requests read it and nothing else.
struct RealtimeSnapshot: Sendable {
  /// Counts the changes of what follows; equal numbers are equal contents.
  var tick: UInt64 = 0
  /// When anything but a new publication of trip updates last changed what boards may show: alerts, what
  /// is believed of a source, or the timetable; in seconds since 1970-01-01T00:00:00Z.
  var changedAt: Double = 0
  /// The source of trip updates.
  var trips = SourceStanding()
  /// What the trip updates mean for the timetable.
  var index: RealtimeIndex?
  /// The source of alerts.
  var alerts = SourceStanding()
  /// What the alerts are about.
  var alertIndex: AlertIndex?
}
