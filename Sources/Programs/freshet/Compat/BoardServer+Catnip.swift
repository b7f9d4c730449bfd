import CatnipDialect
import Hummingbird
import Serving
import WorkspacesServer

extension BoardServer {
  /// Serves the API of Catnip beside the native one.
  func addCatnip(to router: Router<ClientContext>, _ workspaces: WorkspacePart) {
  }
}
