import GTFSRealtime
import Serving
import Synchronization

/// What several sources of one timetable become together.
///
/// Two sources may publish at once. Each makes its own index apart, and what all of them are together as well; it is
/// put in place only if no other content was taken meanwhile, else it is made again.
extension RealtimeFeeds {
  /// The timetable of a source, the index in use of that source, and what ids of that timetable are looked up in.
  func context(of source: RealtimeSource) -> (Feed?, RealtimeIndex?, TimetableDirectory?) {
    let feed = store.feeds.first { ($0.entry.prefix ?? "") == source.prefix }
    let current = state.withLock { $0[source.prefix] }
    guard let current, current.tripGeneration == feed?.entry.generation else {
      return (feed, nil, nil)
    }
    let own = current.trips.first { $0.source == source }?.index
    return (feed, own, current.trips.lazy.compactMap(\.index).first?.directory)
  }

  /// Makes the index of trip updates on the timetable in use.
  ///
  /// - Parameters:
  ///   - feed: The trip updates.
  ///   - source: Where they are from.
  ///   - now: When they arrived, on the service clock.
  ///   - known: An index that was made of them before; it is used again if nothing has changed since.
  /// - Returns: The index, `nil` without a timetable, and the import of the timetable.
  func index(
    _ feed: TripUpdateFeed,
    from source: RealtimeSource,
    at now: Double,
    known: MadeIndex? = nil
  ) -> (made: MadeIndex?, generation: String?) {
    let (timetable, previous, directory) = context(of: source)
    guard let timetable else { return (nil, nil) }
    let arrivedAt = earliest(of: feed.header, from: source, at: now)
    if let known, known.index.timetable === timetable.timetable, known.previous === previous,
      known.arrivedAt == arrivedAt
    {
      return (known, timetable.entry.generation)
    }
    let began = ContinuousClock.now
    let index = RealtimeIndex(
      feed,
      timetable: timetable.timetable,
      arrivedAt: arrivedAt,
      previous: previous,
      sharing: directory
    )
    let seconds = (ContinuousClock.now - began).seconds
    let made = MadeIndex(
      index: index,
      previous: previous,
      arrivedAt: arrivedAt,
      seconds: seconds
    )
    return (made, timetable.entry.generation)
  }

  /// Puts the index of a source in place, and what it makes of all sources of its timetable.
  ///
  /// - Parameters:
  ///   - index: The index; `nil` without a timetable.
  ///   - generation: The import of the timetable that it was built on.
  ///   - source: The source.
  ///   - now: When its feed arrived, on the service clock.
  ///   - note: Notes what was received.
  func put(
    _ index: RealtimeIndex?,
    of generation: String?,
    from source: RealtimeSource,
    at now: Double,
    _ note: (inout SourceState<TripUpdateFeed>) -> Void
  ) {
    var counters: RealtimeCounters?
    var parts: [(number: Int, index: RealtimeIndex)] = []
    while true {
      guard var current = state.withLock({ $0[source.prefix] }),
        let place = current.trips.firstIndex(where: { $0.source == source })
      else { return }
      let taken = current.taken
      current.trips[place].index = index
      // Indexes of another import name other trips; they are made again when the timetable is taken over.
      if current.tripGeneration != generation {
        for other in current.trips.indices where other != place { current.trips[other].index = nil }
      }
      parts = current.numberedIndexes(at: now)
      let together = RealtimeBuilder.combined(parts.map(\.index))
      let helped = current.snapshot.index?.helpsPositions ?? false
      current.snapshot.index = together
      var hasVehicles = false
      if helped || together?.helpsPositions ?? false, current.vehicleGeneration == generation,
        let feed = store.feeds.first(where: { ($0.entry.prefix ?? "") == source.prefix }),
        feed.entry.generation == generation
      {
        rebuildVehicles(&current, of: feed, at: now)
        hasVehicles = true
      }
      let vehicles = current
      let isPlaced = update { state -> Bool in
        guard var newest = state[source.prefix], newest.taken == taken else { return false }
        if hasVehicles {
          for place in vehicles.vehicles.indices {
            newest.vehicles[place].vehicles = vehicles.vehicles[place].vehicles
          }
          newest.snapshot.vehicleIndex = vehicles.snapshot.vehicleIndex
        }
        let before = newest.snapshot.trips.sourceTime
        note(&newest.trips[place])
        newest.trips[place].index = index
        if newest.tripGeneration != generation {
          for other in newest.trips.indices where other != place { newest.trips[other].index = nil }
        }
        newest.advance()
        // Without a later source time, `since_rt` cannot show that the content is new.
        if let before, let after = newest.snapshot.trips.sourceTime, after <= before {
          newest.snapshot.changedAt = now
        }
        newest.snapshot.index = together
        newest.tripGeneration = generation
        current = state.updateValue(newest, forKey: source.prefix) ?? newest
        return true
      }
      // What is no longer needed is freed here, not while requests wait for the lock.
      withExtendedLifetime(current) {}
      counters = together?.counters
      guard isPlaced else { continue }
      record(together, parts, of: source.prefix, at: now)
      break
    }
    notify()
    report(counters, of: source.prefix)
  }

  /// Hands realtime that is in place over to the history.
  private func record(
    _ index: RealtimeIndex?,
    _ parts: [(number: Int, index: RealtimeIndex)],
    of prefix: String,
    at now: Double
  ) {
    guard let history,
      let feed = store.feeds.first(where: { ($0.entry.prefix ?? "") == prefix })
    else { return }
    history.offer(HistoryPublication(feed: feed, index: index, sources: parts, at: now))
  }

  /// Puts the alerts of a source in place, with those of the other sources of its timetable.
  ///
  /// - Parameters:
  ///   - feed: The alerts.
  ///   - source: The source.
  ///   - now: When they arrived, on the service clock.
  ///   - note: Notes what was received, and how long the index took in seconds.
  func putAlerts(
    _ feed: AlertFeed,
    from source: RealtimeSource,
    at now: Double,
    _ note: (inout SourceStatus, Double) -> Void
  ) {
    while true {
      let (timetable, _, _) = context(of: source)
      guard let current = state.withLock({ $0[source.prefix] }),
        let place = current.alerts.firstIndex(where: { $0.source == source })
      else { return }
      let began = ContinuousClock.now
      let feeds = current.alerts.compactMap { $0.source == source ? feed : $0.content }
      let index = timetable.map {
        AlertIndex(feeds, timetable: $0.timetable, previous: current.snapshot.alertIndex)
      }
      let indexSeconds = (ContinuousClock.now - began).seconds
      let isPlaced = update { state -> Bool in
        guard var newest = state[source.prefix], newest.taken == current.taken else { return false }
        // The same alerts arrived again and the previous copy was fresh: boards do not change.
        let age = newest.alerts[place].status.age(at: now)
        let wasFresh = age.map { $0 <= AlertDecay.freshFor } ?? false
        let isSame = newest.snapshot.alertIndex?.version == index?.version
        if !isSame || !wasFresh { newest.changed(at: now) }
        note(&newest.alerts[place].status, indexSeconds)
        newest.alerts[place].content = feed
        newest.snapshot.alertIndex = index
        newest.alertGeneration = timetable?.entry.generation
        newest.advance()
        state[source.prefix] = newest
        return true
      }
      withExtendedLifetime(current) {}
      if isPlaced { break }
    }
    notify()
  }

  /// Puts the vehicle positions of a source in place, with those of the other sources of its timetable.
  ///
  /// - Parameters:
  ///   - feed: The positions.
  ///   - source: The source.
  ///   - now: When they arrived, on the service clock.
  ///   - note: Notes what was received, and how long the index took in seconds.
  func putVehicles(
    _ feed: VehiclePositionFeed,
    from source: RealtimeSource,
    at now: Double,
    _ note: (inout SourceStatus, Double) -> Void
  ) {
    while true {
      let timetable = store.feeds.first { ($0.entry.prefix ?? "") == source.prefix }
      guard var current = state.withLock({ $0[source.prefix] }),
        let place = current.vehicles.firstIndex(where: { $0.source == source })
      else { return }
      let began = ContinuousClock.now
      let generation = timetable?.entry.generation
      let isSameTimetable = current.vehicleGeneration == generation
      let known = current.vehicles.lazy.compactMap(\.vehicles).first?.directory
      let index = timetable.map {
        VehicleIndex(
          feed,
          timetable: $0.timetable,
          arrivedAt: earliest(of: feed.header, from: source, at: now),
          trips: current.snapshot.index,
          sharing: known
        )
      }
      // Indexes of another import name other trips; they are made again when the timetable is taken over.
      if !isSameTimetable {
        for other in current.vehicles.indices { current.vehicles[other].vehicles = nil }
      }
      current.vehicles[place].vehicles = index
      let together = VehicleIndex.combined(current.vehicleIndexes(at: now))
      let indexSeconds = (ContinuousClock.now - began).seconds
      let isPlaced = update { state -> Bool in
        guard var newest = state[source.prefix], newest.taken == current.taken else { return false }
        note(&newest.vehicles[place].status, indexSeconds)
        for other in current.vehicles.indices {
          newest.vehicles[other].vehicles = current.vehicles[other].vehicles
        }
        newest.vehicles[place].content = feed
        newest.snapshot.vehicleIndex = together
        newest.vehicleGeneration = generation
        newest.changed(at: now)
        newest.advance()
        state[source.prefix] = newest
        return true
      }
      withExtendedLifetime(current) {}
      if isPlaced { break }
    }
    notify()
  }

  /// Makes the indexes of vehicle positions again: for a timetable that was imported again, and for trip updates that
  /// know other trips and other ids than those before.
  private func rebuildVehicles(_ current: inout RealtimeState, of feed: Feed, at now: Double) {
    var directory = current.snapshot.index?.directory
    for place in current.vehicles.indices {
      guard let content = current.vehicles[place].content else { continue }
      let index = VehicleIndex(
        content,
        timetable: feed.timetable,
        // As old as before: another timetable makes no feed newer.
        arrivedAt: Int64(current.vehicles[place].status.firstKnownAt ?? now),
        trips: current.snapshot.index,
        sharing: directory
      )
      directory = index.directory
      current.vehicles[place].vehicles = index
      current.vehicleGeneration = feed.entry.generation
    }
    current.snapshot.vehicleIndex = VehicleIndex.combined(current.vehicleIndexes(at: now))
  }

  /// Rebuilds the indexes of a timetable that was imported again.
  func rebuild(_ prefix: String) {
    while true {
      guard let feed = store.feeds.first(where: { ($0.entry.prefix ?? "") == prefix }),
        let current = state.withLock({ $0[prefix] })
      else { return }
      let generation = feed.entry.generation
      var trips = current.trips
      let hasTrips = current.tripGeneration != generation && trips.contains { $0.content != nil }
      let hasAlerts =
        current.alertGeneration != generation && current.alerts.contains { $0.content != nil }
      let hasVehicles =
        current.vehicleGeneration != generation && current.vehicles.contains { $0.content != nil }
      guard
        hasTrips || hasAlerts || hasVehicles
          || trips.contains(where: { $0.content != nil && $0.index == nil })
      else { return }
      let now = clock.now
      var directory: TimetableDirectory?
      for place in trips.indices {
        guard let content = trips[place].content else { continue }
        if current.tripGeneration == generation, trips[place].index != nil { continue }
        // As old as before: another timetable makes no feed newer.
        let index = RealtimeIndex(
          content,
          timetable: feed.timetable,
          arrivedAt: Int64(trips[place].status.firstKnownAt ?? now),
          sharing: directory
        )
        directory = index.directory
        trips[place].index = index
      }
      var next = current
      next.trips = trips
      let together = RealtimeBuilder.combined(next.indexes(at: now))
      next.snapshot.index = together
      if hasVehicles { rebuildVehicles(&next, of: feed, at: now) }
      let alertIndex =
        hasAlerts
        ? AlertIndex(current.alerts.compactMap(\.content), timetable: feed.timetable)
        : current.snapshot.alertIndex
      let isPlaced = update { state -> Bool in
        guard var newest = state[prefix], newest.taken == current.taken else { return false }
        for place in trips.indices { newest.trips[place].index = trips[place].index }
        if trips.contains(where: { $0.index != nil }) { newest.tripGeneration = generation }
        if hasAlerts { newest.alertGeneration = generation }
        newest.snapshot.index = together
        newest.snapshot.alertIndex = alertIndex
        if hasVehicles {
          for place in next.vehicles.indices {
            newest.vehicles[place].vehicles = next.vehicles[place].vehicles
          }
          newest.vehicleGeneration = next.vehicleGeneration
          newest.snapshot.vehicleIndex = next.snapshot.vehicleIndex
        }
        newest.snapshot.changedAt = now
        newest.advance()
        state[prefix] = newest
        return true
      }
      withExtendedLifetime(current) {}
      guard isPlaced else { continue }
      record(together, next.numberedIndexes(at: now), of: prefix, at: now)
      report(together?.counters, of: prefix)
      notify()
      return
    }
  }
}
