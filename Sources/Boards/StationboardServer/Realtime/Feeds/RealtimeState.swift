import GTFSRealtime

/// The state of one realtime source.
struct SourceState<Content: Sendable>: Sendable {
  /// The source.
  let source: RealtimeSource
  /// What was received from it, and when.
  var status = SourceStatus()
  /// Judges what it publishes.
  var sequence = FeedSequence()
  /// The feed in use, to build its index again when the timetable changes.
  var content: Content?
  /// Of trip updates, the index of the feed in use.
  var index: RealtimeIndex?
  /// Of vehicle positions, the index of the feed in use.
  var vehicles: VehicleIndex?

  init(_ source: RealtimeSource) {
    self.source = source
    status.isConfigured = true
  }
}

/// The realtime state of one timetable: its sources, in their order of precedence.
struct RealtimeState: Sendable {
  /// What boards may know.
  var snapshot = RealtimeSnapshot()
  /// The sources of trip updates.
  var trips: [SourceState<TripUpdateFeed>] = []
  /// The sources of alerts.
  var alerts: [SourceState<AlertFeed>] = []
  /// The sources of vehicle positions.
  var vehicles: [SourceState<VehiclePositionFeed>] = []
  /// The import of the timetable that each index was built on.
  var tripGeneration: String?
  var alertGeneration: String?
  var vehicleGeneration: String?
  /// Counts the contents that were applied, so that a result made from older contents can be detected.
  var taken = 0
  /// How much of the trip updates matched when it was last written to the log.
  var match: RealtimeCounters.Match?

  /// What was received from a source, and when.
  func status(of source: RealtimeSource) -> SourceStatus? {
    trips.first { $0.source == source }?.status ?? alerts.first { $0.source == source }?.status
      ?? vehicles.first { $0.source == source }?.status
  }

  /// Judges what a source publishes.
  func sequence(of source: RealtimeSource) -> FeedSequence? {
    trips.first { $0.source == source }?.sequence ?? alerts.first { $0.source == source }?.sequence
      ?? vehicles.first { $0.source == source }?.sequence
  }

  /// Puts the judge of a source in its place.
  mutating func put(_ sequence: FeedSequence, of source: RealtimeSource) {
    if let place = trips.firstIndex(where: { $0.source == source }) {
      trips[place].sequence = sequence
    } else if let place = alerts.firstIndex(where: { $0.source == source }) {
      alerts[place].sequence = sequence
    } else if let place = vehicles.firstIndex(where: { $0.source == source }) {
      vehicles[place].sequence = sequence
    }
  }

  /// Counts a publication that was put in place, and shows it in the snapshot.
  mutating func advance() {
    taken += 1
    show()
    snapshot.tick += 1
  }

  /// Shows in the snapshot what is known of the sources.
  mutating func show() {
    let statuses = trips.map(\.status) + alerts.map(\.status) + vehicles.map(\.status)
    snapshot.position = statuses.compactMap(\.position).max()
    if !trips.isEmpty { snapshot.trips = SourceStatus(of: trips.map(\.status)) }
    if !alerts.isEmpty { snapshot.alerts = SourceStatus(of: alerts.map(\.status)) }
    if !vehicles.isEmpty { snapshot.vehicles = SourceStatus(of: vehicles.map(\.status)) }
    snapshot.sources =
      trips.enumerated().map { number, state in
        SourceView(
          kind: state.source.kind,
          number: number + 1,
          of: trips.count,
          status: state.status,
          counters: state.index?.counters
        )
      }
      + alerts.enumerated().map { number, state in
        SourceView(
          kind: state.source.kind,
          number: number + 1,
          of: alerts.count,
          status: state.status,
          counters: nil,
          alerts: alerts.count == 1 ? snapshot.alertIndex?.counters : nil
        )
      }
      + vehicles.enumerated().map { number, state in
        SourceView(
          kind: state.source.kind,
          number: number + 1,
          of: vehicles.count,
          status: state.status,
          counters: state.vehicles?.counters
        )
      }
  }

  /// Notes that something else than trip updates has changed.
  ///
  /// What came after trip updates is not older than they, although the clocks of the servers that fetched both may differ.
  mutating func changed(at now: Double) {
    snapshot.changedAt = max(now, snapshot.trips.fetchedAt ?? now)
  }

  /// The indexes of the vehicle positions, in the order of ``indexes(at:)``.
  func vehicleIndexes(at now: Double) -> [VehicleIndex] {
    let all = vehicles.compactMap(\.vehicles)
    func isStale(_ index: VehicleIndex) -> Bool {
      now - Double(index.sourceTime) > RealtimeDecay.standard.ageing
    }
    return all.filter { !isStale($0) } + all.filter(isStale)
  }

  /// The indexes of the trip updates in their order of precedence: a source whose feed is stale comes after those
  /// whose feeds are not, so that one that has died does not keep what another one knows from the boards.
  func indexes(at now: Double) -> [RealtimeIndex] { numberedIndexes(at: now).map(\.index) }

  /// The same with the number of each source, from 1 on.
  func numberedIndexes(at now: Double) -> [(number: Int, index: RealtimeIndex)] {
    let all = trips.enumerated().compactMap { place, state in
      state.index.map { (number: place + 1, index: $0) }
    }
    func isStale(_ index: RealtimeIndex) -> Bool {
      now - Double(index.sourceTime) > RealtimeDecay.standard.ageing
    }
    return all.filter { !isStale($0.index) } + all.filter { isStale($0.index) }
  }

  /// The alerts of all sources, each once.
  ///
  /// An alert with the text and the entities of another one is the same; one with the id of another one gets an id
  /// of its own.
  static func united(_ feeds: [AlertFeed]) -> [Alert] {
    guard feeds.count > 1 else { return feeds.first?.alerts ?? [] }
    var contents: Set<Alert> = []
    var ids: Set<String> = []
    var united: [Alert] = []
    for (number, feed) in feeds.enumerated() {
      var own: Set<String> = []
      for var alert in feed.alerts {
        var content = alert
        content.entityID = ""
        guard contents.insert(content).inserted else { continue }
        // Within one source, an id given twice is one alert.
        guard own.insert(alert.entityID).inserted else { continue }
        if ids.contains(alert.entityID) { alert.entityID += "~\(number + 1)" }
        ids.insert(alert.entityID)
        united.append(alert)
      }
    }
    return united
  }
}

/// One source of a timetable, as operators see it.
struct SourceView: Sendable {
  /// What its feed has.
  var kind: RealtimeSource.Kind
  /// Its place among the sources of its kind, from 1 on.
  var number: Int
  /// How many of them there are.
  var of: Int
  /// What was received from it, and when.
  var status: SourceStatus
  /// Of trip updates and vehicle positions, their outcomes as far as this source alone goes.
  var counters: RealtimeCounters?
  /// Of the only source of alerts, their outcomes; those of several are merged before they are counted.
  var alerts: AlertCounters?

  /// How many of what should match the timetable does, and does not; `nil` as long as nothing came.
  var matches: (matching: Int, unmatched: Int)? {
    if let alerts { return (alerts.alerts, alerts.withoutEffect) }
    return counters.map { ($0.matching, $0.unmatched) }
  }
}
