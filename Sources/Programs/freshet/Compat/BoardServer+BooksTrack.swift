import BooksTrackDialect
import Hummingbird
import JobsServer
import Serving

extension BoardServer {
  /// Serves the API of BooksTrack beside the native one.
  func addBooksTrack(to router: Router<ClientContext>, _ jobs: JobsService) {
  }
}
