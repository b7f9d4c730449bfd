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

  /// What of the app will not work as the server was started; nothing if all of it does.
  var booksTrackNotice: String? {
    guard speak.contains(.bookstrack) else { return nil }
    guard let jobs else { return "--speak bookstrack serves nothing without --jobs" }
    var missing: [String] = []
    if !jobs.acceptsQueryToken { missing.append("--jobs-query-tokens") }
    if !acceptsBareJobIDs { missing.append("--jobs-bare-ids") }
    guard !missing.isEmpty else { return nil }
    return "parts of BooksTrack are refused without \(missing.joined(separator: " and "))"
  }

  /// Opens WebSockets, in the words of the API that a job was started in.
  var socketDoor: (any WebSocketAuthorizer)? { booksTrack?.door ?? jobs?.door }
}
