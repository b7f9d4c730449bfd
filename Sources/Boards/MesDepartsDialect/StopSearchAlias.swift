import HTTPTypes
import Hummingbird

/// `GET /api/search`: the older address of the stop search.
struct StopSearchAlias {
  /// Sends the client to the search, with its parameters.
  func answer(_ request: Request) -> Response {
    let query = request.uri.query.map { "?\($0)" } ?? ""
    return Response(
      status: .permanentRedirect,
      headers: [.location: "/api/stops/search\(query)", .cacheControl: "no-store"]
    )
  }
}
