import GTFS

/// What a feed says of services on demand while it is read.
struct OnDemandTables {
  /// Where a service can be had.
  enum Place: Hashable {
    case stop(UInt32)
    case group(String)
    case zone(String)
  }

  /// What the rows of one service have in common.
  struct Offer: Hashable {
    var route: UInt32
    var service: UInt32
    var opens: Int32
    var closes: Int32
    /// The place of the rule in ``rules``; -1 without one.
    var rule: Int
  }

  var ruleNumbers: [String: Int] = [:]
  var rules: [OnDemandServices.Rule] = []
  /// The service of the days before a ride that count, by the place of the rule; all days count for the others.
  var noticeServices: [Int: UInt32] = [:]
  /// The stops of each location group.
  var groups: [String: [UInt32]] = [:]
  /// The stops in each zone.
  var zones: [String: [UInt32]] = [:]
  private(set) var offers: [Offer: Set<Place>] = [:]
  private var calls: [UInt64: Int] = [:]
  private var count = 0

  /// Adds a row; whether there was room.
  mutating func add(_ offer: Offer, at place: Place) -> Bool {
    if offers[offer] == nil, offers.count == OnDemandLimits.services { return false }
    guard count < OnDemandLimits.stops else { return false }
    if offers[offer, default: []].insert(place).inserted { count += 1 }
    return true
  }

  /// The zones that services name.
  var namedZones: Set<String> {
    var names = Set<String>()
    for places in offers.values {
      for case .zone(let name) in places { names.insert(name) }
    }
    return names
  }

  /// Notes how a departure of a route at a stop is booked; two rules for one cancel each other.
  mutating func call(_ route: UInt32, at stop: UInt32, rule: Int) {
    let key = UInt64(route) << 32 | UInt64(stop)
    if let known = calls[key] {
      if known != rule { calls[key] = -1 }
    } else if calls.count < OnDemandLimits.stops {
      calls[key] = rule
    }
  }

  /// The services with the ids of their stops.
  ///
  /// - Parameters:
  ///   - tables: The tables of the feed.
  ///   - today: The day of the import, as days since 1970-01-01.
  /// - Returns: Those that run on a day and have a stop.
  func services(_ tables: FeedTables, today: Int) -> OnDemandServices {
    var result = OnDemandServices()
    var areas: [Set<UInt32>: Int] = [:]
    var room = OnDemandLimits.stops
    var ruleNumbers: [Int: Int] = [:]
    func kept(_ rule: Int) -> Int {
      if let known = ruleNumbers[rule] { return known }
      ruleNumbers[rule] = result.rules.count
      result.rules.append(rules[rule])
      if let service = noticeServices[rule] {
        result.rules[result.rules.count - 1].noticeDays = Self.runs(
          of: tables.services[Int(service)],
          today: today
        )
      }
      return result.rules.count - 1
    }
    func text(_ number: UInt32) -> String {
      tables.texts.withBytes(of: number) { String(decoding: $0, as: UTF8.self) }
    }
    let sorted = offers.sorted { Self.key($0.key).lexicographicallyPrecedes(Self.key($1.key)) }
    for (offer, places) in sorted {
      let days = Self.runs(of: tables.services[Int(offer.service)], today: today)
      let stops = stops(of: places)
      guard !days.isEmpty, !stops.isEmpty else { continue }
      if areas[stops] == nil {
        guard stops.count <= room else { continue }
        room -= stops.count
        areas[stops] = result.areas.count
        result.areas.append(stops.sorted().map { text(tables.stops[Int($0)].id) })
      }
      let route = tables.routes[Int(offer.route)]
      let agency = Int(route.agency)
      let names = [route.shortName, route.longName, route.id].map(text)
      result.services.append(
        OnDemandServices.Service(
          line: names.first { !$0.isEmpty } ?? "",
          agency: agency < tables.agencies.count ? text(tables.agencies[agency].name) : "",
          zone: agency < tables.agencyZones.count
            ? tables.timeZones[Int(tables.agencyZones[agency])] : tables.timeZone,
          opens: Int(offer.opens),
          closes: Int(offer.closes),
          days: days,
          rule: offer.rule < 0 ? nil : kept(offer.rule),
          area: areas[stops] ?? 0
        )
      )
    }
    for (key, rule) in calls.sorted(by: { $0.key < $1.key }) where rule >= 0 {
      result.calls.append(
        OnDemandServices.Call(
          stop: text(tables.stops[Int(UInt32(truncatingIfNeeded: key))].id),
          route: text(tables.routes[Int(key >> 32)].id),
          rule: kept(rule)
        )
      )
    }
    return result
  }

  private static func key(_ offer: Offer) -> [Int] {
    [Int(offer.route), Int(offer.service), Int(offer.opens), Int(offer.closes), offer.rule]
  }

  private func stops(of places: Set<Place>) -> Set<UInt32> {
    var stops = Set<UInt32>()
    for place in places {
      switch place {
      case .stop(let stop): stops.insert(stop)
      case .group(let name): stops.formUnion(groups[name] ?? [])
      case .zone(let name): stops.formUnion(zones[name] ?? [])
      }
    }
    return stops
  }

  /// The days of a service as runs of days.
  private static func runs(of service: ServiceDays, today: Int) -> DayRuns {
    let set = DaySet(
      service.within(today - OnDemandLimits.days...today + OnDemandLimits.days)
    )
    var runs: [Int] = []
    guard set.first <= set.last else { return DayRuns() }
    for day in set.first...set.last {
      let offset = day - set.first
      guard set.bits[offset / 64] >> UInt64(offset % 64) & 1 == 1 else { continue }
      if let last = runs.last, last == day - 1 {
        runs[runs.count - 1] = day
      } else {
        guard runs.count < 2 * OnDemandLimits.runs else { break }
        runs += [day, day]
      }
    }
    return DayRuns(runs)
  }
}
