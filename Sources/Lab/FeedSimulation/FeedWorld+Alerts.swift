import GTFS
package import GTFSRealtime
import Timetable

extension FeedWorld {
  /// The alerts of a publication, as protobuf.
  package func alertFeed(of tick: FeedTick) -> [UInt8] { alertFeed(at: tick.sourceTime) }

  /// The alerts at an instant, in seconds since 1970-01-01T00:00:00Z.
  func alertFeed(at instant: Int64) -> [UInt8] {
    var header = TripUpdateWriter(timetable, instant: instant, capacity: 1 << 16)
    header.header()
    var writer = AlertWriter(header.wire)
    for alert in alerts(at: instant) { writer.entity(alert) }
    return writer.wire.bytes
  }

  /// The alerts that are published at an instant, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// Some canceled trips and skipped stops have their own alerts; lines with an incident have one
  /// each.
  package func alerts(at instant: Int64) -> [Alert] {
    incidentAlerts(at: instant) + tripAlerts(at: instant) + stationAlerts(at: instant)
      + generalAlerts(at: instant)
  }

  // MARK: Lines

  private func incidentAlerts(at instant: Int64) -> [Alert] {
    let block = Incident.block(of: instant)
    var blocks = [block]
    if instant >= (block + 1) * Incident.duration - Incident.notice { blocks.append(block + 1) }
    return blocks.flatMap { block in
      (0..<timetable.routeCount).compactMap { route in
        incident(on: route, block: block).map { alert(of: $0) }
      }
    }
  }

  private func alert(of incident: Incident) -> Alert {
    let route = timetable.route(incident.route)
    let random = incident.random
    let name = route.shortName.isEmpty ? route.longName : route.shortName
    let effects: [(AlertEffect, AlertMessages)] = [
      (.significantDelays, .delays), (.reducedService, .reduced), (.detour, .detour),
    ]
    let (effect, effectMessages) = effects[random.within(0...2, .alert)]
    let reasons = AlertReason.incidents
    let reason = reasons[random.within(0...reasons.count - 1, .incidentCause)]
    var alert = Alert(entityID: "route.\(route.id).\(incident.block)")
    alert.activePeriods = [ActivePeriod(from: incident.start, to: incident.end)]
    alert.informedEntities = [
      EntitySelector(
        routeID: route.id,
        directionID: random.isHit(250, .direction)
          ? UInt32(random.within(0...1, .direction, 1)) : nil
      )
    ]
    alert.cause = reason.cause
    alert.effect = effect
    alert.severity = random.isHit(200, .alertDetail) ? .severe : .warning
    alert.header = (AlertMessages.line(name) + .colon + effectMessages).translated(random)
    alert.text = (reason.messages + .moreTime).translated(random)
    if random.isHit(400, .link) { alert.url = Self.link(alert.entityID) }
    return alert
  }

  // MARK: Trips

  private func tripAlerts(at instant: Int64) -> [Alert] {
    var alerts: [Alert] = []
    visitRuns(at: instant) { scenario in
      switch scenario.outcome {
      case .cancelled:
        guard scenario.random.isHit(330, .alert) else { return }
      case .skipping:
        guard scenario.random.isHit(250, .alert) else { return }
      case .running, .deleted, .replaced: return
      }
      var state = RunState()
      fill(&state, with: scenario, at: instant)
      if let alert = alert(of: scenario, state) { alerts.append(alert) }
    }
    return alerts
  }

  private func alert(of scenario: TripScenario, _ state: RunState) -> Alert? {
    let trip = scenario.run.trip
    let id = String(decoding: timetable.tripId(of: trip), as: UTF8.self)
    let routeID = String(decoding: timetable.routeId(of: trip), as: UTF8.self)
    let route = timetable.route(timetable.route(of: trip))
    let name = route.shortName.isEmpty ? route.longName : route.shortName
    let random = scenario.random
    let reasons = AlertReason.incidents
    let reason = reasons[random.within(0...reasons.count - 1, .incidentCause)]
    let startTime = Int32(scenario.start - scenario.dayStart)
    let descriptor = TripDescriptor(
      tripID: id,
      routeID: routeID,
      startDate: scenario.run.day,
      startTime: scenario.isFrequency ? startTime : nil
    )
    let run = scenario.isFrequency ? "\(id).\(startTime)" : id
    var alert = Alert(entityID: "trip.\(scenario.run.day).\(run)")
    let last = timetable.call(timetable.callCount(of: trip) - 1, of: trip)
    // A late run continues after the end of its timetable.
    let end =
      scenario.dayStart + Int64(last.departure) + Int64(shares.longestDelay) + Self.tail
    alert.activePeriods = [ActivePeriod(from: scenario.announcedAt, to: end)]
    alert.cause = reason.cause
    switch state.phase {
    case .cancelled:
      alert.informedEntities = [EntitySelector(trip: descriptor)]
      alert.effect = .noService
      alert.severity = .severe
      let time = AlertMessages.name(" (\(TimeOfDay.text(Int(startTime)).prefix(5))) ")
      alert.header = (AlertMessages.line(name) + time + .cancelled).translated(random)
      alert.text = (reason.messages + .nextOne).translated(random)
    case .running:
      let skipped = state.calls.filter { $0.status == .skipped }
      guard let first = skipped.first else { return nil }
      alert.informedEntities = skipped.map { call in
        EntitySelector(
          trip: descriptor,
          stopID: String(decoding: timetable.id(of: call.stop), as: UTF8.self)
        )
      }
      alert.effect = .modifiedService
      alert.severity = .warning
      let stop = String(decoding: timetable.name(of: first.stop), as: UTF8.self)
      alert.header =
        (AlertMessages.line(name) + .name(" ") + .doesNotStop + .name(stop)).translated(random)
      alert.text = (reason.messages + .apology).translated(random)
    default: return nil
    }
    return alert
  }

  // MARK: Stations

  private func stationAlerts(at instant: Int64) -> [Alert] {
    let week = instant / 604_800
    var alerts: [Alert] = []
    for number in 0..<timetable.stopCount {
      let stop = Timetable.Stop(number)
      let random = self.random.of(.alert, timetable.id(of: stop))
        .of(.alert, UInt64(bitPattern: week))
      guard random.isHit(shares.stationNotice, .alert), !timetable.servedStops(of: stop).isEmpty
      else { continue }
      alerts.append(alert(at: stop, week: week, random))
    }
    return alerts
  }

  private func alert(at stop: Timetable.Stop, week: Int64, _ random: RandomSource) -> Alert {
    let id = String(decoding: timetable.id(of: stop), as: UTF8.self)
    let name = AlertMessages.name(String(decoding: timetable.name(of: stop), as: UTF8.self))
    let start = week * 604_800
    var alert = Alert(entityID: "stop.\(id).\(week)")
    alert.informedEntities = [EntitySelector(stopID: id)]
    switch random.within(0...2, .alertDetail) {
    case 0:
      // The end of the repair is unknown, so the period has no end.
      alert.activePeriods = [ActivePeriod(start: UInt64(max(0, start)))]
      alert.cause = .technicalProblem
      alert.effect = .accessibilityIssue
      alert.severity = .info
      alert.header = (name + .colon + .lift).translated(random)
      alert.text = AlertMessages.apology.translated(random)
    case 1:
      // Seven nights, from ten to five.
      alert.activePeriods = (0..<Int64(7)).map { night in
        let evening = start + night * 86_400 + 79_200
        return ActivePeriod(from: evening, to: evening + 25_200)
      }
      alert.cause = .maintenance
      alert.effect = .modifiedService
      alert.severity = .warning
      alert.header = (name + .colon + .works).translated(random)
      alert.text = AlertMessages.moreTime.translated(random)
    default:
      alert.activePeriods = [ActivePeriod(from: start, to: start + 604_800)]
      alert.cause = .construction
      alert.effect = .stopMoved
      alert.severity = .warning
      alert.header = (name + .colon + .moved).translated(random)
      alert.text = AlertMessages.apology.translated(random)
    }
    if random.isHit(300, .link) { alert.url = Self.link(alert.entityID) }
    return alert
  }

  // MARK: All riders

  private func generalAlerts(at instant: Int64) -> [Alert] {
    let day = instant / 86_400
    let today = random.of(.alertDetail, UInt64(bitPattern: day))
    var alerts: [Alert] = []
    if !routeTypes.isEmpty, today.isHit(shares.generalNotice, .alert) {
      let type = routeTypes[today.within(0...routeTypes.count - 1, .alertDetail)]
      var alert = Alert(entityID: "type.\(type).\(day)")
      alert.activePeriods = [ActivePeriod(from: day * 86_400, to: (day + 1) * 86_400)]
      alert.informedEntities = [EntitySelector(routeType: Int32(type))]
      alert.cause = .weather
      alert.effect = .significantDelays
      alert.severity = .severe
      alert.header = AlertMessages.weather.translated(today)
      alert.text = AlertMessages.moreTime.translated(today)
      alert.url = Self.link(alert.entityID)
      alerts.append(alert)
    }
    for agency in options.agencyIDs {
      let random = today.of(.alert, named: agency)
      guard random.isHit(shares.generalNotice, .alert) else { continue }
      var alert = Alert(entityID: "agency.\(agency).\(day)")
      alert.activePeriods = [ActivePeriod(from: day * 86_400, to: (day + 1) * 86_400)]
      alert.informedEntities = [EntitySelector(agencyID: agency)]
      let isStrike = random.isHit(500, .alertDetail)
      alert.cause = isStrike ? .strike : .specialEvent
      alert.effect = isStrike ? .reducedService : .additionalService
      alert.severity = isStrike ? .severe : .info
      alert.header = (isStrike ? AlertMessages.strike : .event).translated(random)
      alert.text = AlertMessages.moreTime.translated(random)
      alerts.append(alert)
    }
    return alerts
  }

  /// Returns a URL under a name that cannot be registered (RFC 2606).
  private static func link(_ id: String) -> TranslatedText {
    let isPlain = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    let path = String(decoding: id.utf8.map { isPlain($0) ? $0 : 0x2D }, as: UTF8.self)
    return TranslatedText(
      ["de", "fr", "it", "en"].map { (language: String) in
        .init(text: "https://example.com/\(language)/\(path)", language: language)
      }
    )
  }
}

extension ActivePeriod {
  init(from start: Int64, to end: Int64) {
    self.init(start: UInt64(max(0, start)), end: UInt64(max(0, end)))
  }
}
