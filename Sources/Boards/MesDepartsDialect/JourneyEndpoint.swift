import Hummingbird
import Serving
import StationboardServer
import StrictJSON

/// `GET /api/journey`: a run of a trip with its stops.
struct JourneyEndpoint {
  let passages: TripPassages

  /// Answers a request.
  ///
  /// - Throws: ``Serving/Problem`` 400 `missing_id`, and as `GET /api/trips/{trip_id}`.
  func answer(_ request: Request) throws -> Response {
    let query = QueryItems(request)
    guard let id = query["id"], !id.isEmpty else {
      throw Problem(.badRequest, "missing_id", detail: "id is needed: the trip_id of a departure")
    }
    let language = RequestLanguage.choose(
      parameter: query["lang"],
      acceptLanguage: request.headers[.acceptLanguage]
    )
    let passage = try passages.passage(of: id, query, language: language)
    return DialectAnswer.response(.object(["journey": PassageView(passage).journey]))
  }
}
