import StationboardServer
import StrictJSON

/// A run in the shapes that clients of MesDeparts know for connections and journeys.
///
/// Instants are local, `2026-11-24T08:00:00+0100`, with the same as seconds since 1970 in `…Timestamp`; delays are whole
/// minutes.
struct PassageView {
  private let passage: TripPassage
  /// How the client named the first stop, if by an id: it finds that stop by it again.
  private let firstId: String?

  /// Creates a view.
  ///
  /// - Parameters:
  ///   - passage: The run, from the stop that was asked for on.
  ///   - from: How the client named that stop.
  ///   - id: stop_id of that stop.
  init(_ passage: TripPassage, from: String? = nil, id: String? = nil) {
    self.passage = passage
    firstId = from.flatMap { from in
      let isName = from == passage.calls.first?.name
      return isName ? id : from
    }
  }

  /// The run as the only section of a connection.
  var connection: JSONValue {
    let calls = passage.calls
    let first = calls.first.map { stop($0, isFirst: true) } ?? .null
    let last = calls.last.map { stop($0) } ?? .null
    let begin = calls.first?.scheduledDeparture ?? 0
    let end = calls.last.flatMap { $0.scheduledArrival ?? $0.scheduledDeparture } ?? begin
    return .object([
      "from": first,
      "to": last,
      "duration": .string(Self.duration(max(end - begin, 0))),
      "transfers": .whole(0),
      "service": .null,
      "products": .list([.string(passage.line)]),
      "capacity1st": .null,
      "capacity2nd": .null,
      "sections": .list([
        .object(["journey": journey, "walk": .null, "departure": first, "arrival": last])
      ]),
    ])
  }

  /// The run with its stops.
  var journey: JSONValue {
    .object([
      "id": Self.text(passage.tripId),
      "name": .string(passage.line),
      "category": .string(passage.category),
      "subcategory": .null,
      "categoryCode": .null,
      "number": .string(passage.number),
      "operator": .string(passage.agency),
      "to": Self.text(passage.destination ?? passage.calls.last?.name),
      "cancelled": .bool(passage.isCancelled),
      "passList": .list(
        passage.calls.enumerated().map { place, call in stop(call, isFirst: place == 0) }
      ),
      "capacity1st": .null,
      "capacity2nd": .null,
    ])
  }

  /// The last stop.
  var arrivalStation: JSONValue {
    passage.calls.last.map { Self.station(id: $0.stationId, name: $0.name, $0.coordinate) } ?? .null
  }

  private func stop(_ call: TripPassage.Call, isFirst: Bool = false) -> JSONValue {
    let id = isFirst ? firstId ?? call.stationId : call.stationId
    let station = Self.station(id: id, name: call.name, call.coordinate)
    let planned = call.scheduledDeparture ?? call.scheduledArrival
    let known = call.realtimeDeparture ?? call.realtimeArrival
    var delay = JSONValue.null
    if let planned, let known { delay = .whole((known - planned) / 60) }
    return .object([
      "station": station,
      "location": station,
      "arrival": instant(call.scheduledArrival),
      "arrivalTimestamp": Self.number(call.scheduledArrival),
      "departure": instant(call.scheduledDeparture),
      "departureTimestamp": Self.number(call.scheduledDeparture),
      "delay": delay,
      "platform": Self.text(call.platform),
      "prognosis": .object([
        "platform": Self.text(call.realtimePlatform),
        "arrival": instant(call.realtimeArrival),
        "departure": instant(call.realtimeDeparture),
        "capacity1st": .null,
        "capacity2nd": .null,
      ]),
      "realtimeAvailability": .null,
      "cancelled": .bool(passage.isCancelled || call.isSkipped),
    ])
  }

  /// A stop by its id and name.
  static func station(
    id: String,
    name: String,
    _ place: (latitude: Double, longitude: Double)?
  ) -> JSONValue {
    .object([
      "id": .string(id),
      "name": .string(name),
      "score": .null,
      "coordinate": .object([
        "type": .string("WGS84"),
        "x": place.map { JSONValue($0.latitude) } ?? .null,
        "y": place.map { JSONValue($0.longitude) } ?? .null,
      ]),
      "distance": .null,
    ])
  }

  private func instant(_ seconds: Int64?) -> JSONValue {
    guard let seconds else { return .null }
    return .string(LocalInstant.text(seconds, offset: passage.offset(seconds)))
  }

  private static func number(_ value: Int64?) -> JSONValue { value.map { .whole($0) } ?? .null }

  private static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

  /// `00d01:23:00`.
  private static func duration(_ seconds: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return
      "\(two(seconds / 86_400))d\(two(seconds / 3_600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}
