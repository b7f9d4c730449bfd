import BooksTrackDialect
import Hummingbird
import JobsServer
import ServeSettings
import Serving

extension BoardServer {
  /// The API of BooksTrack; `nil` if that dialect or jobs are off.
  var booksTrack: BooksTrackDialectService? {
    guard speak.contains(.bookstrack), let jobs else { return nil }
    return BooksTrackDialectService(
      jobs,
      acceptsBareIDs: acceptsBareJobIDs,
      acceptsQueryTokens: acceptsQueryTokensOfApps,
      logger: logger
    )
  }

  /// What the apps miss with the options of this server; empty if everything works.
  var dialectNotices: [String] {
    var notices: [String] = []
    if speak.contains(.catnip), workspaces == nil {
      notices.append("--speak catnip serves nothing without --workspaces")
    }
    guard speak.contains(.bookstrack) else { return notices }
    guard jobs != nil else {
      return notices + ["--speak bookstrack serves nothing without --jobs"]
    }
    var refusing: [String] = []
    if !acceptsQueryTokensOfApps { refusing.append("--no-jobs-query-tokens") }
    if !acceptsBareJobIDs { refusing.append("--no-jobs-bare-ids") }
    if !refusing.isEmpty {
      notices.append("parts of BooksTrack are refused by \(refusing.joined(separator: " and "))")
    }
    return notices
  }

  /// Opens WebSockets, in the terms of the API that a job was started with.
  var socketAuthorizer: (any WebSocketAuthorizer)? { booksTrack?.authorizer ?? jobs?.authorizer }
}
