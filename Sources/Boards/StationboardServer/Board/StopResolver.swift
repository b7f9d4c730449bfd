import Timetable

/// Finds the stop an id means, whatever year the id is from.
struct StopResolver {
  let feeds: [Feed]

  /// How an id was recognised; the values of the contract's `resolved.source`.
  enum Source: String, CaseIterable {
    /// It is the stop_id.
    case direct
    /// It is another id of the same place (an original id, a Swiss id of another shape), or an alias of the import.
    case alias
  }

  /// A stop of a feed.
  struct Resolved {
    var feed: Feed
    var stop: Timetable.Stop
    var source: Source

    /// The stop's top-most ancestor.
    var station: Timetable.Stop { feed.timetable.station(of: stop) }
    /// The station's id as it is given out: what two ids of one place have in common.
    var canonicalId: String { feed.publicId(feed.timetable.id(of: station)) }
  }

  /// The stop an id means; `nil` if no feed has it.
  func resolve(_ id: String) -> Resolved? {
    var alias: Resolved?
    for feed in feeds {
      guard let local = feed.localId(id), let found = Self.find(local, in: feed.timetable) else {
        continue
      }
      let resolved = Resolved(feed: feed, stop: found.stop, source: found.source)
      if found.source == .direct { return resolved }
      alias = alias ?? resolved
    }
    return alias ?? aliased(id)
  }

  /// The stop that an alias represents.
  ///
  /// - Parameter name: The alias as it was written, or as names are compared (``SearchText``), and so in any case.
  /// - Returns: The stop; `nil` if no feed was imported with the alias.
  func aliased(_ name: String) -> Resolved? {
    let normalized = SearchText.normalized(name)
    for feed in feeds {
      if let stop = feed.stops.aliases[name] ?? feed.stops.aliases[normalized] {
        return Resolved(feed: feed, stop: stop, source: .alias)
      }
    }
    return nil
  }

  /// The stop a feed's own id means.
  static func find(
    _ id: String,
    in timetable: Timetable
  ) -> (stop: Timetable.Stop, source: Source)? {
    if let stop = timetable.stop(id: id) {
      // The number of a station means all of it, also where departures without a platform have it as their stop_id.
      let station = timetable.station(of: stop)
      let isNumber = id.utf8.count == 7 && Timetable.swissNumber(id) != nil
      guard isNumber, station != stop, timetable.station(swissId: id) == station else {
        return (stop, .direct)
      }
      return (station, .alias)
    }
    if let stop = timetable.stop(originalId: id) { return (stop, .alias) }
    if let stop = timetable.station(swissId: id) { return (stop, .alias) }
    return nil
  }
}
