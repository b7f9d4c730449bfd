import BooksTrackDialect
import Hummingbird
import JobsServer
import ServeSettings
import Serving

extension BoardServer {
  /// The API of BooksTrack; nothing if it is not spoken, or without jobs.
  var booksTrack: BooksTrackDialectService? {
    guard speak.contains(.bookstrack), let jobs else { return nil }
    return BooksTrackDialectService(jobs, acceptsBareIDs: acceptsBareJobIDs, logger: logger)
  }

  /// Opens WebSockets, in the words of the API that a job was started in.
  var socketDoor: (any WebSocketAuthorizer)? { booksTrack?.door ?? jobs?.door }
}
