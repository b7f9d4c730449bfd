import Foundation
import GTFS
import Timetable

/// The services on demand of a feed, by station.
struct OnDemandDirectory: Sendable {
  /// A service at a stop within a window that can still be booked.
  struct Offer: Hashable, Sendable {
    var service: OnDemandServices.Service
    var rule: OnDemandServices.Rule?
    /// The window, in seconds since 1970-01-01T00:00:00Z.
    var opensAt: Int64
    var closesAt: Int64
    /// Until when it can be booked, likewise; `nil` if nothing fixes an instant.
    var bookBy: Int64?
  }

  /// What a station offers at an instant.
  struct Offers: Sendable {
    var offers: [Offer] = []
    /// The instant at which there are others, in seconds since 1970-01-01T00:00:00Z.
    var nextChangeAt = Double.infinity
  }

  /// The rule of departures of a route at a stop that have to be arranged.
  private struct Call: Hashable {
    var stop: Timetable.Stop
    var route: Int
  }

  private let services: OnDemandServices
  private let days: [String: ServiceDay]
  private let byStation: [Timetable.Stop: [Int]]
  private let calls: [Call: Int]

  /// Whether there is nothing.
  var isEmpty: Bool { byStation.isEmpty && calls.isEmpty }

  /// Reads the services stored beside a timetable.
  ///
  /// A missing or damaged file counts as none: departures do not depend on it.
  init(path: String, _ timetable: Timetable) {
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    var services = OnDemandServices()
    if size > 0, size <= OnDemandLimits.fileBytes,
      let data = FileManager.default.contents(atPath: path),
      let read = try? JSONDecoder().decode(OnDemandServices.self, from: data), read.isSound
    {
      services = read
    }
    var days: [String: ServiceDay] = [:]
    for zone in Set(services.services.map(\.zone)) {
      days[zone] = ServiceDay(zone: TimeZone(identifier: zone) ?? timetable.zone)
    }
    let areas = services.areas.map { area in
      Set(area.compactMap { timetable.stop(id: $0) }.map { timetable.station(of: $0) })
    }
    var byStation: [Timetable.Stop: [Int]] = [:]
    for (number, service) in services.services.enumerated() {
      for station in areas[service.area] { byStation[station, default: []].append(number) }
    }
    var calls: [Call: Int] = [:]
    if !services.calls.isEmpty {
      let routes = Dictionary(
        (0..<timetable.routeCount).map { (timetable.route($0).id, $0) },
        uniquingKeysWith: { first, _ in first }
      )
      for call in services.calls {
        guard let stop = timetable.stop(id: call.stop), let route = routes[call.route] else {
          continue
        }
        calls[Call(stop: stop, route: route)] = call.rule
      }
    }
    self.services = services
    self.days = days
    self.byStation = byStation
    self.calls = calls
  }

  /// What can be booked at a station, each line with its next window: ``OnDemandLimits/named`` at most.
  ///
  /// Vehicles that leave their way for passengers have a window of some minutes between two stops: windows of one line
  /// that meet are one.
  func offers(at station: Timetable.Stop, _ instant: Double) -> Offers {
    var result = Offers()
    var found: [Offer] = []
    for number in byStation[station] ?? [] {
      guard let offer = offer(services.services[number], after: instant) else { continue }
      found.append(offer.value)
      result.nextChangeAt = min(result.nextChangeAt, Double(offer.deadline))
    }
    var places: [Group: Int] = [:]
    found.sort { ($0.opensAt, $0.service.line) < ($1.opensAt, $1.service.line) }
    for offer in found {
      let service = offer.service
      let group = Group(line: service.line, agency: service.agency, rule: service.rule)
      if let place = places[group] {
        if offer.opensAt <= result.offers[place].closesAt {
          result.offers[place].closesAt = max(result.offers[place].closesAt, offer.closesAt)
        }
      } else if result.offers.count < OnDemandLimits.named {
        places[group] = result.offers.count
        result.offers.append(offer)
      }
    }
    return result
  }

  /// What passengers take for one service.
  private struct Group: Hashable {
    var line: String
    var agency: String
    var rule: Int?
  }

  /// How departures of a route at a stop are booked; `nil` if the feed does not say.
  func rule(at stop: Timetable.Stop, route: Int) -> OnDemandServices.Rule? {
    calls.isEmpty ? nil : calls[Call(stop: stop, route: route)].map { services.rules[$0] }
  }

  private func offer(
    _ service: OnDemandServices.Service,
    after instant: Double
  ) -> (value: Offer, deadline: Int64)? {
    guard let day = days[service.zone] else { return nil }
    let rule = service.rule.map { services.rules[$0] }
    let today = day.date(at: Int64(instant)).daysSinceEpoch
    for date in today - 1...today + OnDemandLimits.ahead where service.days.contains(date) {
      let start = day.start(of: ServiceDate(daysSinceEpoch: date))
      let closes = start + Int64(service.closes)
      let bookBy = rule.flatMap { $0.bookBy(date, of: day) }
      let deadline = min(closes - Int64(rule?.noticeSeconds ?? 0), bookBy ?? .max)
      guard Double(deadline) > instant else { continue }
      let offer = Offer(
        service: service,
        rule: rule,
        opensAt: start + Int64(service.opens),
        closesAt: closes,
        bookBy: bookBy
      )
      return (offer, deadline)
    }
    return nil
  }
}

extension OnDemandServices.Rule {
  /// Until when a ride on a service day can be booked, if a day before it is the last one.
  func bookBy(_ date: Int, of day: ServiceDay) -> Int64? {
    lastDay.map { count in
      let last = noticeDays?.day(count, before: date) ?? date - count
      return day.start(of: ServiceDate(daysSinceEpoch: last)) + Int64(lastTime ?? 86_400)
    }
  }

  /// Writes the members `noticeMinutes`, `phone`, `message`, `infoUrl` and `bookingUrl`.
  func writeHow(_ json: inout JSONBytes) {
    json.raw(",\"noticeMinutes\":")
    if let noticeSeconds { json.integer(noticeSeconds / 60) } else { json.raw("null") }
    json.raw(",\"phone\":")
    json.string(phone)
    json.raw(",\"message\":")
    json.string(message)
    json.raw(",\"infoUrl\":")
    json.string(infoURL)
    json.raw(",\"bookingUrl\":")
    json.string(bookingURL)
  }
}

extension OnDemandDirectory.Offers {
  /// Writes the member `onDemand` of a board, and a comma; nothing without offers.
  func write(_ json: inout JSONBytes) {
    guard !offers.isEmpty else { return }
    json.raw("\"onDemand\":[")
    for (place, offer) in offers.enumerated() {
      json.raw(place > 0 ? ",{\"line\":" : "{\"line\":")
      json.string(offer.service.line)
      json.raw(",\"operator\":")
      json.string(offer.service.agency)
      json.raw(",\"opensAt\":\"")
      json.instant(offer.opensAt)
      json.raw("\",\"closesAt\":\"")
      json.instant(offer.closesAt)
      json.raw("\",\"bookBy\":")
      json.instant(orNull: offer.bookBy)
      (offer.rule ?? OnDemandServices.Rule()).writeHow(&json)
      json.raw("}")
    }
    json.raw("],")
  }
}

extension MergedBoard {
  /// What its station offers on demand.
  var offers: OnDemandDirectory.Offers {
    let feed = request.stop.feed
    return feed.onDemand.offers(at: feed.timetable.station(of: request.stop.stop), instant)
  }
}

extension DepartureRows {
  /// Writes how a departure is booked that has to be arranged, if the feed says it: the member `booking`.
  func writeBooking(_ row: BoardRow, _ json: inout JSONBytes) {
    guard let trip = row.trip, let scheduled = row.scheduled,
      let rule = feed.onDemand.rule(at: row.stop, route: feed.timetable.route(of: trip))
    else { return }
    let day = ServiceDay(zone: feed.timetable.zone(of: trip))
    json.raw(",\"booking\":{\"bookBy\":")
    json.instant(
      orNull: rule.bookBy(row.day, of: day) ?? rule.noticeSeconds.map { scheduled - Int64($0) }
    )
    rule.writeHow(&json)
    json.raw("}")
  }
}

extension JSONBytes {
  /// Writes an instant, or null.
  fileprivate mutating func instant(orNull instant: Int64?) {
    guard let instant else { return raw("null") }
    raw("\"")
    self.instant(instant)
    raw("\"")
  }
}
