import ConditionalHTTP
import Hummingbird
import Serving
import StationboardServer
import StrictJSON

/// `GET /api/connections`: the runs that leave a stop for a destination, each with its stops.
struct ConnectionsEndpoint {
  let passages: TripPassages

  /// The runs of an answer if the request says nothing.
  static let usualLimit = 6

  /// Answers a request.
  ///
  /// An unknown stop yields an empty list: the page asks again, with its name.
  ///
  /// - Throws: ``Serving/Problem`` 400 `missing_from_to`, `invalid_parameter`, 503 `no_timetable`.
  func answer(_ request: Request) async throws -> Response {
    let query = QueryItems(request)
    guard let from = query["from"], let to = query["to"], !from.isEmpty, !to.isEmpty else {
      throw Problem(
        .badRequest,
        "missing_from_to",
        detail: "from and to are needed: a stop, and a destination or a later stop",
        extensions: ["expected": .array([.string("from"), .string("to")])]
      )
    }
    let language = RequestLanguage.choose(
      parameter: query["lang"],
      acceptLanguage: request.headers[.acceptLanguage]
    )
    let found = try await passages.leaving(
      from,
      to: to,
      date: query["date"],
      time: query["time"],
      limit: try query.integer("limit") ?? Self.usualLimit,
      language: language
    )
    let views = (found?.passages ?? []).map { PassageView($0, from: from, id: found?.stopId) }
    let place = found.map { PassageView.station(id: $0.stopId, name: $0.name, nil) }
    return DialectAnswer.response(
      .object([
        "connections": .list(views.map(\.connection)),
        "from": place ?? .null,
        "to": views.first?.arrivalStation ?? .null,
        "stations": .object([
          "from": .list(place.map { [$0] } ?? []),
          "to": .list(views.first.map { [$0.arrivalStation] } ?? []),
        ]),
      ])
    )
  }
}
