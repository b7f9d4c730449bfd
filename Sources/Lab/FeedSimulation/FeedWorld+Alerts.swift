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
    let chance = incident.chance
    let name = route.shortName.isEmpty ? route.longName : route.shortName
    let effects: [(AlertEffect, AlertMessages)] = [
      (.significantDelays, .delays), (.reducedService, .reduced), (.detour, .detour),
    ]
    let (effect, effectWords) = effects[chance.within(0...2, .alert)]
    let reasons = AlertReason.incidents
    let reason = reasons[chance.within(0...reasons.count - 1, .incidentCause)]
    var alert = Alert(entityID: "route.\(route.id).\(incident.block)")
    alert.activePeriods = [ActivePeriod(from: incident.start, to: incident.end)]
    alert.informedEntities = [
      EntitySelector(
        routeID: route.id,
        directionID: chance.isHit(250, .direction)
          ? UInt32(chance.within(0...1, .direction, 1)) : nil
      )
    ]
    alert.cause = reason.cause
    alert.effect = effect
    alert.severity = chance.isHit(200, .alertDetail) ? .severe : .warning
    alert.header = (AlertMessages.line(name) + .colon + effectWords).translated(chance)
    alert.text = (reason.words + .moreTime).translated(chance)
    if chance.isHit(400, .link) { alert.url = Self.link(alert.entityID) }
    return alert
  }

  // MARK: Trips

  private func tripAlerts(at instant: Int64) -> [Alert] {
    var alerts: [Alert] = []
    visitRuns(at: instant) { story in
      switch story.fate {
      case .cancelled:
        guard story.chance.isHit(330, .alert) else { return }
      case .skipping:
        guard story.chance.isHit(250, .alert) else { return }
      case .running, .deleted, .replaced: return
      }
      var state = RunState()
      fill(&state, with: story, at: instant)
      if let alert = alert(of: story, state) { alerts.append(alert) }
    }
    return alerts
  }

  private func alert(of story: TripScenario, _ state: RunState) -> Alert? {
    let trip = story.run.trip
    let id = String(decoding: timetable.tripId(of: trip), as: UTF8.self)
    let routeID = String(decoding: timetable.routeId(of: trip), as: UTF8.self)
    let route = timetable.route(timetable.route(of: trip))
    let name = route.shortName.isEmpty ? route.longName : route.shortName
    let chance = story.chance
    let reasons = AlertReason.incidents
    let reason = reasons[chance.within(0...reasons.count - 1, .incidentCause)]
    let startTime = Int32(story.start - story.dayStart)
    let descriptor = TripDescriptor(
      tripID: id,
      routeID: routeID,
      startDate: story.run.day,
      startTime: story.isFrequency ? startTime : nil
    )
    let run = story.isFrequency ? "\(id).\(startTime)" : id
    var alert = Alert(entityID: "trip.\(story.run.day).\(run)")
    let last = timetable.call(timetable.callCount(of: trip) - 1, of: trip)
    // A late run continues after the end of its timetable.
    let end =
      story.dayStart + Int64(last.departure) + Int64(shares.longestDelay) + Self.tail
    alert.activePeriods = [ActivePeriod(from: story.announcedAt, to: end)]
    alert.cause = reason.cause
    switch state.phase {
    case .cancelled:
      alert.informedEntities = [EntitySelector(trip: descriptor)]
      alert.effect = .noService
      alert.severity = .severe
      let time = AlertMessages.name(" (\(TimeOfDay.text(Int(startTime)).prefix(5))) ")
      alert.header = (AlertMessages.line(name) + time + .cancelled).translated(chance)
      alert.text = (reason.words + .nextOne).translated(chance)
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
        (AlertMessages.line(name) + .name(" ") + .doesNotStop + .name(stop)).translated(chance)
      alert.text = (reason.words + .apology).translated(chance)
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
      let chance = self.chance.of(.alert, timetable.id(of: stop))
        .of(.alert, UInt64(bitPattern: week))
      guard chance.isHit(shares.stationNotice, .alert), !timetable.servedStops(of: stop).isEmpty
      else { continue }
      alerts.append(alert(at: stop, week: week, chance))
    }
    return alerts
  }

  private func alert(at stop: Timetable.Stop, week: Int64, _ chance: RandomSource) -> Alert {
    let id = String(decoding: timetable.id(of: stop), as: UTF8.self)
    let name = AlertMessages.name(String(decoding: timetable.name(of: stop), as: UTF8.self))
    let start = week * 604_800
    var alert = Alert(entityID: "stop.\(id).\(week)")
    alert.informedEntities = [EntitySelector(stopID: id)]
    switch chance.within(0...2, .alertDetail) {
    case 0:
      // The end of the repair is unknown, so the period has no end.
      alert.activePeriods = [ActivePeriod(start: UInt64(max(0, start)))]
      alert.cause = .technicalProblem
      alert.effect = .accessibilityIssue
      alert.severity = .info
      alert.header = (name + .colon + .lift).translated(chance)
      alert.text = AlertMessages.apology.translated(chance)
    case 1:
      // Seven nights, from ten to five.
      alert.activePeriods = (0..<Int64(7)).map { night in
        let evening = start + night * 86_400 + 79_200
        return ActivePeriod(from: evening, to: evening + 25_200)
      }
      alert.cause = .maintenance
      alert.effect = .modifiedService
      alert.severity = .warning
      alert.header = (name + .colon + .works).translated(chance)
      alert.text = AlertMessages.moreTime.translated(chance)
    default:
      alert.activePeriods = [ActivePeriod(from: start, to: start + 604_800)]
      alert.cause = .construction
      alert.effect = .stopMoved
      alert.severity = .warning
      alert.header = (name + .colon + .moved).translated(chance)
      alert.text = AlertMessages.apology.translated(chance)
    }
    if chance.isHit(300, .link) { alert.url = Self.link(alert.entityID) }
    return alert
  }

  // MARK: All riders

  private func generalAlerts(at instant: Int64) -> [Alert] {
    let day = instant / 86_400
    let today = chance.of(.alertDetail, UInt64(bitPattern: day))
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
      let chance = today.of(.alert, named: agency)
      guard chance.isHit(shares.generalNotice, .alert) else { continue }
      var alert = Alert(entityID: "agency.\(agency).\(day)")
      alert.activePeriods = [ActivePeriod(from: day * 86_400, to: (day + 1) * 86_400)]
      alert.informedEntities = [EntitySelector(agencyID: agency)]
      let isStrike = chance.isHit(500, .alertDetail)
      alert.cause = isStrike ? .strike : .specialEvent
      alert.effect = isStrike ? .reducedService : .additionalService
      alert.severity = isStrike ? .severe : .info
      alert.header = (isStrike ? AlertMessages.strike : .event).translated(chance)
      alert.text = AlertMessages.moreTime.translated(chance)
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
