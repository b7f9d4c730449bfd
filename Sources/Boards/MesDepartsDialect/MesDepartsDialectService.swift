package import Hummingbird
package import StationboardServer

/// The endpoints that clients of MesDeparts ask beside the stationboard: trip details, as views of trips.
///
/// The boards themselves are those of the native API with ``StationboardServer/BoardAdditions/mesDeparts``. It has no state
/// of its own.
package struct MesDepartsDialectService: Sendable {
  private let passages: TripPassages

  /// Creates the service.
  ///
  /// - Parameter passages: Finds runs of trips.
  package init(passages: TripPassages) { self.passages = passages }

  /// Adds the endpoints.
  package func add(to router: Router<some RequestContext>) {
    let connections = ConnectionsEndpoint(passages: passages)
    let journeys = JourneyEndpoint(passages: passages)
    let search = StopSearchAlias()
    router.get("api/connections") { request, _ in try await connections.answer(request) }
    router.get("api/journey") { request, _ in try journeys.answer(request) }
    router.get("api/search") { request, _ in search.answer(request) }
  }
}

extension BoardAdditions {
  /// What clients of MesDeparts expect of boards.
  package static let mesDeparts: BoardAdditions = [.arrivalTokens, .rowSources, .closedTypes]
}
