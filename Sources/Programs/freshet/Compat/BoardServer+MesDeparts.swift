import Hummingbird
import MesDepartsDialect
import Serving
import StationboardServer

extension BoardServer {
  /// Serves the API of MesDeparts beside the native one.
  func addMesDeparts(to router: Router<ClientContext>, _ stationboard: StationboardService) {
    MesDepartsDialectService(passages: stationboard.passages).add(to: router)
  }
}
