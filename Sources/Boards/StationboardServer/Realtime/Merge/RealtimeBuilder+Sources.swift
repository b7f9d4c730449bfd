import Timetable

/// What several sources say of one timetable, as one: of each trip on a day what the first source says that has it.
///
/// Each source has an index of its own, with its ladder, its counters and what it keeps of vanished trips; only the
/// result is united, whenever one of them changes.
extension RealtimeBuilder {
  /// Unites the indexes of sources.
  ///
  /// - Parameter sources: The indexes in their order of precedence, at least one, all of one timetable.
  /// - Returns: What they say together.
  static func combined(_ sources: [RealtimeIndex]) -> RealtimeIndex? {
    guard let first = sources.first, sources.count > 1 else { return sources.first }
    let time = sources.map(\.sourceTime).max() ?? first.sourceTime
    var builder = RealtimeBuilder(combining: first, at: time)
    let owners = Owners(sources)
    for source in sources { builder.resolved.merge(source.resolved) { first, _ in first } }
    for (number, source) in sources.enumerated() {
      builder.append(source, ofWhich: { owners.has(number, source.trips[$0], source) })
    }
    builder.enterInstances()
    return RealtimeIndex(builder)
  }

  /// Which source has each trip.
  private struct Owners {
    private struct Owner {
      var source: Int
      /// Whether trip modifications of another source come before what it says.
      var isModifiable: Bool
    }

    private var instances: [UInt64: Owner] = [:]
    private var extras: [ExtraTrip.Identity: Int] = [:]

    /// Finds the owners: what a source says now comes before what another one no longer says and is kept.
    ///
    /// Trip modifications, whose source may be another one than that of the predictions, come before predictions: a
    /// closed stop has no departures. They do not come before a trip that does not run or that another one replaces.
    init(_ sources: [RealtimeIndex]) {
      for isKept in [false, true] {
        for (number, source) in sources.enumerated() {
          for trip in source.trips
          where (trip.missed > 0) == isKept && trip.modification != .planned {
            if trip.extra < 0 {
              let key = Self.key(trip)
              guard instances[key] == nil else { continue }
              instances[key] = Owner(source: number, isModifiable: isKept || trip.kind == .running)
            } else if let identity = Self.identity(trip, source), extras[identity] == nil {
              extras[identity] = number
            }
          }
        }
      }
      for (number, source) in sources.enumerated() {
        for trip in source.trips where trip.modification != .none {
          let key = Self.key(trip)
          guard instances[key]?.isModifiable ?? true else { continue }
          instances[key] = Owner(source: number, isModifiable: false)
        }
      }
    }

    /// Whether a trip of a source is shown.
    func has(_ number: Int, _ trip: RealtimeTrip, _ source: RealtimeIndex) -> Bool {
      if trip.extra < 0 || source.extraTrips[Int(trip.extra)].kind == .replacement {
        return instances[Self.key(trip)]?.source == number
      }
      return Self.identity(trip, source).map { extras[$0] == number } ?? true
    }

    private static func key(_ trip: RealtimeTrip) -> UInt64 {
      UInt64(trip.trip) << 32 | UInt64(UInt32(bitPattern: trip.day))
    }

    /// A trip without an id is one of its own; a replacement goes with the trip that it replaces.
    private static func identity(
      _ trip: RealtimeTrip,
      _ source: RealtimeIndex
    ) -> ExtraTrip.Identity? {
      let extra = source.extraTrips[Int(trip.extra)]
      guard extra.kind != .replacement, let id = extra.tripID else { return nil }
      return ExtraTrip.Identity(
        kind: extra.kind,
        tripID: id,
        template: extra.kind == .new ? TimetableDirectory.none : trip.trip,
        day: trip.day,
        start: extra.start
      )
    }
  }

  /// Appends the trips of a source that are shown, and counts the others.
  private mutating func append(_ source: RealtimeIndex, ofWhich isShown: (Int) -> Bool) {
    var own = source.counters
    let numbers = source.texts.map { number(of: $0) }
    func renumbered(_ number: UInt32) -> UInt32 {
      guard number >= RealtimeCall.firstText, number != RealtimeCall.usualPlatform else {
        return number
      }
      return numbers[Int(number - RealtimeCall.firstText)]
    }
    for (number, old) in source.trips.enumerated() {
      guard isShown(number) else {
        leave(old, source, &own)
        continue
      }
      var trip = old
      trip.firstCall = UInt32(calls.count)
      trip.firstArrival = UInt32(arrivals.count)
      trip.firstSkip = UInt32(skips.count)
      trip.firstClosed = UInt32(closed.count)
      trip.headsign = renumbered(old.headsign)
      if old.extra >= 0 {
        trip.extra = Int32(extraTrips.count)
        extraTrips.append(source.extraTrips[Int(old.extra)])
      }
      trips.append(trip)
      for place in Int(old.firstCall)..<Int(old.firstCall + old.callCount) {
        var call = source.calls[place]
        guard let effective = relative(source.base + Int64(call.effective)) else { continue }
        call.effective = effective
        if call.scheduled != RealtimeCall.unscheduled {
          guard let scheduled = relative(source.base + Int64(call.scheduled)) else { continue }
          call.scheduled = scheduled
        }
        call.trip = UInt32(trips.count - 1)
        call.platform = renumbered(call.platform)
        if let headsign = source.headsigns[UInt32(place)] {
          headsigns[UInt32(calls.count)] = renumbered(headsign)
        }
        calls.append(call)
      }
      for place in Int(old.firstArrival)..<Int(old.firstArrival + old.arrivalCount) {
        var arrival = source.arrivals[place]
        guard let effective = relative(source.base + Int64(arrival.effective)) else { continue }
        arrival.effective = effective
        arrivals.append(arrival)
      }
      skips += source.skips[Int(old.firstSkip)..<Int(old.firstSkip + old.skipCount)]
      closed += source.closed[Int(old.firstClosed)..<Int(old.firstClosed + old.closedCount)]
      endTrip()
    }
    counters.append(own)
  }

  /// Counts a trip that another source has.
  private func leave(
    _ trip: RealtimeTrip,
    _ source: RealtimeIndex,
    _ counters: inout RealtimeCounters
  ) {
    if trip.missed > 0 {
      counters.kept -= 1
    } else if trip.modification != .none {
      counters.modified -= 1
      if trip.modification == .updated { counters.leaveToOther(.running, isCopy: false) }
      if trip.modification == .cancelled { counters.leaveToOther(.cancelled, isCopy: false) }
    } else if !source.isCounted(trip) {
      // It has no effect, and is counted with the reason.
      return
    } else if trip.extra < 0 {
      counters.leaveToOther(trip.kind, isCopy: false)
    } else {
      // A replacement is counted with the trip that it replaces.
      let kind = source.extraTrips[Int(trip.extra)].kind
      if kind != .replacement { counters.leaveToOther(.extra, isCopy: kind == .duplicated) }
    }
  }
}

extension RealtimeIndex {
  /// Whether a trip counts as one with an effect.
  fileprivate func isCounted(_ trip: RealtimeTrip) -> Bool {
    switch trip.kind {
    case .cancelled, .deleted, .replaced: return true
    case .extra:
      let isNew = extraTrips[Int(trip.extra)].kind == .new
      return trip.callCount > 0 || isNew && trip.arrivalCount > 0
    case .running:
      if trip.arrivalCount > 0 || trip.skipCount > 0 || trip.closedCount > 0
        || trip.headsign != RealtimeCall.usualPlatform
      {
        return true
      }
      return (trip.firstCall..<trip.firstCall + trip.callCount).contains { number in
        let call = calls[Int(number)]
        return !call.flags.isDisjoint(with: .telling)
          || call.platform != RealtimeCall.usualPlatform || headsigns[number] != nil
          || call.occupancy != RealtimeCall.unknownOccupancy
      }
    }
  }
}
