import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import GTFS
import StationboardServer
import Timetable

/// `freshet feeds list`.
struct FeedsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show age, validity, next check and last error of every feed.",
    discussion: """
        freshet feeds list
        freshet feeds list --json
      """
  )

  @OptionGroup var data: DataOption
  @OptionGroup var time: ClockOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    guard data.data == nil || FileManager.default.fileExists(atPath: data.folder.path) else {
      let place = Terminal.plain(data.folder.path)
      throw CommandFailure("freshet feeds list: \(place): No such file or directory", .noInput)
    }
    let feeds = try FeedsCommand.attempt("list") { () throws(FeedError) in
      try ListedFeed.all(of: data.folder)
    }
    if json {
      Terminal.write(try PrintedJSON.document(feeds))
    } else if feeds.isEmpty {
      let place = Terminal.plain(data.folder.path)
      Terminal.write("No feeds in \(place); freshet import or freshet feeds add brings one.\n")
    } else {
      for feed in feeds { Terminal.write(feed.text) }
    }
  }
}

/// What is known of a feed: what serves, where it comes from, and what waits.
struct ListedFeed: Encodable {
  /// A generation that waits for its day, or for an operator to accept it.
  struct Generation: Encodable {
    var name: String
    var servesFrom: String?
    var reason: String?
    var changes: [String]?

    /// What is known of the generation of a feed that is held back; `nil` if none is.
    static func held(
      _ entry: FeedManifest.Feed,
      in folder: DataFolder,
      maxLostShare: Double?
    ) -> Generation? {
      guard let held = entry.held else { return nil }
      let changes = folder.changes(of: entry.key, generation: held.generation.name)
      return Generation(
        name: held.generation.name,
        reason: held.reason.sentence(changes, maxLostShare: maxLostShare),
        changes: changes?.sentences ?? []
      )
    }
  }

  /// The prefix of its ids, or the name of the feed without one.
  var key: String
  var firstDay: String?
  var lastDay: String?
  var importedAt: String?
  /// How many generations before it are kept.
  var earlier: Int?
  /// Why it cannot be opened.
  var problem: String?
  var source: String?
  var checkedAt: String?
  var nextCheckAt: String?
  /// Why the last check failed.
  var error: String?
  var waiting: Generation?
  var held: Generation?

  /// Returns the feeds of a folder, then the sources of which nothing serves.
  static func all(of folder: DataFolder) throws(FeedError) -> [ListedFeed] {
    let manifest = try folder.manifest()
    let sources = try StaticSourceList(of: folder).all
    return manifest.feeds.map { ListedFeed($0, in: folder, sources) }
      + sources.filter { manifest.feed($0.key) == nil }
      .map { ListedFeed(key: $0.key, in: folder, sources) }
  }

  private init(key: String, in folder: DataFolder, _ sources: [StaticSource]) {
    self.key = key
    source = sources.first { $0.key == key }?.title
    let schedule = folder.schedule(of: key)
    checkedAt = schedule.checkedAt.map { InstantText.write($0) }
    nextCheckAt = schedule.nextAt.map { InstantText.write($0) }
    error = schedule.error
  }

  private init(_ entry: FeedManifest.Feed, in folder: DataFolder, _ sources: [StaticSource]) {
    self.init(key: entry.key, in: folder, sources)
    do throws(FeedError) {
      let timetable = try Feed(entry, in: folder).timetable
      (firstDay, lastDay) = ("\(timetable.firstDay)", "\(timetable.lastDay)")
      importedAt = InstantText.write(timetable.metadata.importedAt)
    } catch {
      // The others are worth seeing all the more.
      problem = error.message
    }
    earlier = entry.earlier?.count ?? 0
    if let generation = entry.waiting, let start = generation.startsAt {
      waiting = Generation(name: generation.name, servesFrom: InstantText.write(start))
    }
    let allowed = sources.first { $0.key == entry.key }?.maxLostShare
    held = Generation.held(entry, in: folder, maxLostShare: allowed)
  }

  /// Some lines for a person.
  var text: String {
    var lines: [String] = []
    let kept = earlier.map { ", \($0) earlier kept" } ?? ""
    if let problem {
      lines += ["\(key): cannot be opened", "  \(problem)\(kept)"]
    } else if let firstDay, let lastDay, let importedAt {
      lines += ["\(key): \(firstDay) to \(lastDay)", "  imported \(importedAt)\(kept)"]
    } else {
      lines.append("\(key): nothing serves")
    }
    if let source { lines.append("  source \(source)") }
    if let checkedAt {
      lines.append("  checked \(checkedAt)" + (nextCheckAt.map { ", next \($0)" } ?? ""))
    }
    if let error { lines.append("  \(error)") }
    if let waiting, let start = waiting.servesFrom {
      lines.append("  \(waiting.name) serves from \(start)")
    }
    if let held {
      lines.append("  \(held.name) is \(held.reason ?? "held back")")
      lines += (held.changes ?? []).map { "    \($0)" }
    }
    return lines.map { Terminal.plain($0) + "\n" }.joined()
  }
}
