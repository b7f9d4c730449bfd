/// The realtime of one timetable between two ticks; requests read it and nothing else.
///
/// A copy is one reference: every request takes one, and few change it.
struct RealtimeSnapshot: Sendable {
  /// The content, behind the reference.
  private struct Contents: Sendable {
    var tick: UInt64 = 0
    var changedAt: Double = 0
    var trips = SourceStatus()
    var index: RealtimeIndex?
    var alerts = SourceStatus()
    var alertIndex: AlertIndex?
    var vehicles = SourceStatus()
    var vehicleIndex: VehicleIndex?
    var sources: [SourceView] = []
    var position: Int64?
    var isOfAnotherTimetable = false
  }

  /// Never changed, so that a part can be read without a copy of the rest.
  private final class Box: Sendable {
    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
  }

  private static let nothing = Box(Contents())

  private var box = Self.nothing

  private var contents: Contents {
    _read { yield box.contents }
    _modify {
      var changed = box.contents
      defer { box = Box(changed) }
      yield &changed
    }
  }

  /// The same with the sources as they were.
  func with(trips: SourceStatus, alerts: SourceStatus) -> Self {
    var snapshot = self
    (snapshot.trips, snapshot.alerts) = (trips, alerts)
    return snapshot
  }

  /// Counts the changes of what follows; equal numbers are equal contents.
  var tick: UInt64 {
    get { contents.tick }
    set { contents.tick = newValue }
  }
  /// When anything but a new publication of trip updates last changed what boards may show: alerts, what
  /// is believed of a source, or the timetable; in seconds since 1970-01-01T00:00:00Z.
  var changedAt: Double {
    get { contents.changedAt }
    set { contents.changedAt = newValue }
  }
  /// The source of trip updates.
  var trips: SourceStatus {
    _read { yield contents.trips }
    _modify { yield &contents.trips }
  }
  /// The index of the trip updates.
  var index: RealtimeIndex? {
    _read { yield contents.index }
    _modify { yield &contents.index }
  }
  /// The source of alerts.
  var alerts: SourceStatus {
    _read { yield contents.alerts }
    _modify { yield &contents.alerts }
  }
  /// The source of vehicle positions.
  var vehicles: SourceStatus {
    _read { yield contents.vehicles }
    _modify { yield &contents.vehicles }
  }
  /// The index of the vehicle positions.
  var vehicleIndex: VehicleIndex? {
    _read { yield contents.vehicleIndex }
    _modify { yield &contents.vehicleIndex }
  }
  /// Each source by itself.
  var sources: [SourceView] {
    _read { yield contents.sources }
    _modify { yield &contents.sources }
  }
  /// The index of the alerts.
  var alertIndex: AlertIndex? {
    _read { yield contents.alertIndex }
    _modify { yield &contents.alertIndex }
  }
  /// The position of the newest publication of servers that share realtime; `nil` without any.
  var position: Int64? {
    get { contents.position }
    set { contents.position = newValue }
  }
  /// Whether the trip updates have been indexed for another timetable only, so that boards of this one show none of them:
  /// for a moment after an import.
  var isOfAnotherTimetable: Bool {
    get { contents.isOfAnotherTimetable }
    set { contents.isOfAnotherTimetable = newValue }
  }
}
