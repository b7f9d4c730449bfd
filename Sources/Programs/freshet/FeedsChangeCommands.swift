import ArgumentParser
import Commands
import GTFS
import Serving
import StationboardServer

/// A feed that a command has changed, as JSON.
private struct ChangedFeed: Encodable {
  var key: String
  /// The generation that serves now; `nil` if the command does not choose one.
  var generation: String?
}

/// `freshet feeds accept`.
struct FeedsAcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Let the timetable serve that is held back.",
    discussion: """
        freshet feeds accept --prefix city
      """
  )

  @OptionGroup var choice: FeedChoice

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try choice.requireKnown(by: "accept")
    try await FeedsCommand.change("accept", choice, isJSON: json) { sharing, display in
      let accepted =
        if let sharing {
          try await sharing.accept(key: choice.key, progress: { display.show($0) })
        } else {
          try choice.data.folder.accept(key: choice.key, now: choice.time.clock().now)
        }
      display.finish()
      try FeedsCommand.report(
        json ? ChangedFeed(key: choice.key, generation: accepted.name) : nil,
        "\(choice.key): \(accepted.name) is accepted.\n"
      )
    }
  }
}

/// `freshet feeds rollback`.
struct FeedsRollbackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Let the timetable serve again that served before.",
    discussion: """
        freshet feeds rollback --prefix city
      """
  )

  @OptionGroup var choice: FeedChoice

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try choice.requireKnown(by: "rollback")
    try await FeedsCommand.change("rollback", choice, isJSON: json) { sharing, display in
      let target =
        if let sharing {
          try await sharing.rollBack(key: choice.key, progress: { display.show($0) })
        } else {
          try choice.data.folder.rollBack(key: choice.key)
        }
      display.finish()
      try FeedsCommand.report(
        json ? ChangedFeed(key: choice.key, generation: target.name) : nil,
        "\(choice.key): \(target.name) serves again.\n"
      )
    }
  }
}

/// `freshet feeds remove`.
struct FeedsRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Stop following a source, and take its feed out of service.",
    discussion: """
        freshet feeds remove --prefix city
        freshet feeds remove --prefix city --keep-serving
      """
  )

  @OptionGroup var choice: FeedChoice

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Keep serving the timetable that serves.")
  var keepServing = false

  func run() async throws {
    let folder = choice.data.folder
    try choice.requireKnown(by: "remove")
    try await FeedsCommand.change("remove", choice, isJSON: json) { sharing, display in
      guard let sharing, !keepServing else {
        return try folder.removeSource(prefix: choice.prefix, keepServing: keepServing)
      }
      // First the feed: what fails has changed nothing.
      let hadFeed = try await sharing.takeOut(key: choice.key, progress: { display.show($0) })
      let hadSource = try folder.removeFollowed(prefix: choice.prefix)
      guard hadFeed || hadSource else {
        throw FeedError(
          .unreadable,
          "neither the database nor \(folder.path) has a feed or a source \(choice.key)"
        )
      }
    }
    try FeedsCommand.report(json ? ChangedFeed(key: choice.key) : nil, "Removed.\n")
  }
}

/// `freshet feeds share`.
struct FeedsShareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "share",
    abstract: "Share the timetable that serves here with all servers of a database.",
    discussion: """
      It takes the place of the one that the database has. An import with a database shares by itself.

        freshet feeds share --database postgres://freshet_server@db.example.org/freshet
      """
  )

  @OptionGroup var choice: FeedChoice

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try await FeedsCommand.change("share", choice, isJSON: json) { sharing, display in
      guard let sharing else {
        throw ValidationError("no database; name one with --database or $DATABASE_URL")
      }
      let generation = try await sharing.share(key: choice.key, progress: { display.show($0) })
      display.finish()
      try FeedsCommand.report(
        json ? ChangedFeed(key: choice.key, generation: generation) : nil,
        "\(choice.key): \(generation) is shared.\n"
      )
    }
  }
}
