import CatnipDialect
import Hummingbird
import ServeSettings
import Serving
import WorkspacesServer

extension BoardServer {
  /// Serves the API of Catnip beside the native one.
  func addCatnip(to router: Router<ClientContext>, _ workspaces: WorkspacePart) {
    CatnipDialectService(workspaces.service).add(to: router, access: workspaces.access)
  }

  /// How the answers at addresses that both APIs have are written; `nil` for natively.
  var catnipWording: CatnipWording? { speak.contains(.catnip) ? CatnipWording() : nil }

  /// The beginnings of the paths that only catnip's API has, if it is served.
  var catnipPaths: [String] { speak.contains(.catnip) ? CatnipDialectService.prefixes : [] }
}
