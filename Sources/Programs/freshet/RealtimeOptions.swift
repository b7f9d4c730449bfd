import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import Freshness
import HTTPTypes
import ServeSettings
import StationboardServer

/// The options for sources of realtime data.
struct RealtimeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A GTFS-Realtime feed of trip updates: an address, or a file that another program rewrites. For a feed with a prefix: PREFIX=ADDRESS. Of several for one feed, the first that has a trip decides.",
      valueName: "url|file"
    )
  )
  var tripUpdates: [String] = []

  @Option(
    help: ArgumentHelp(
      "A GTFS-Realtime feed of service alerts, likewise; the alerts of several are all shown.",
      valueName: "url|file"
    )
  )
  var alerts: [String] = []

  @Option(
    help: ArgumentHelp(
      "A GTFS-Realtime feed of vehicle positions, likewise.",
      valueName: "url|file"
    )
  )
  var vehiclePositions: [String] = []

  @Option(
    help: "A field to send to the sources, 'Authorization: Bearer …'; may be given several times."
  )
  var feedHeader: [String] = []

  @Option(
    help: ArgumentHelp(
      "The percentage of the trip updates that must match a trip; below it, /health says degraded.",
      valueName: "percent"
    )
  )
  var leastMatched: Int?

  @Option(
    help: ArgumentHelp(
      "Replay what freshet-lab record wrote, in place of all of them; the clock starts with it unless --now is given.",
      valueName: "file"
    )
  )
  var replay: [String] = []

  @Option(
    help: ArgumentHelp(
      "Slow a phase of every board down, PHASE=MILLISECONDS: timetable, realtime, alerts; or hold every board until one is refused: crowd.",
      visibility: .hidden
    )
  )
  var slow: [String] = []

  @Option(
    help: ArgumentHelp(
      "Poll a kind of source every so often, KIND=MILLISECONDS: trip-updates, alerts, vehicle-positions, static.",
      visibility: .hidden
    )
  )
  var poll: [String] = []

  func validate() throws {
    _ = try sources()
    _ = try recordings()
    _ = try faults()
    try Self.check(leastMatched: leastMatched)
  }

  /// Checks `--least-matched`.
  ///
  /// - Throws: `ValidationError` if it is not a percentage.
  static func check(leastMatched: Int?) throws {
    guard (0...100).contains(leastMatched ?? 0) else {
      throw ValidationError("--least-matched is a percentage, 0 to 100")
    }
  }

  /// Returns the fields of `--feed-header`.
  ///
  /// - Throws: `ValidationError` with the problem.
  static func fields(_ feedHeader: [String]) throws -> HTTPFields {
    do throws(WatchAddressError) {
      return try WatchAddress.fields(feedHeader, option: "--feed-header")
    } catch {
      throw ValidationError(error.description)
    }
  }

  /// Returns the share of the trip updates that must match a trip, for each feed: the option is for all.
  func threshold(besides settings: ServeSettings?) -> MatchThreshold {
    if let leastMatched { return MatchThreshold(usual: leastMatched) }
    let set = (settings?.feeds ?? []).compactMap { feed in
      feed.leastMatchedPercent.map { (feed.prefix, $0) }
    }
    return MatchThreshold(byPrefix: Dictionary(set) { $1 })
  }

  /// Returns the sources.
  ///
  /// - Throws: `ValidationError` with the problem.
  func sources() throws -> [RealtimeSource] {
    let fields = try Self.fields(feedHeader)
    let rhythms = try rhythms()
    var sources: [RealtimeSource] = []
    for (kind, values) in [
      (RealtimeSource.Kind.tripUpdates, tripUpdates), (.alerts, alerts),
      (.vehiclePositions, vehiclePositions),
    ] {
      for value in values {
        var source = try Self.source(kind, value, fields)
        source.every = rhythms[kind]
        guard !sources.contains(source) else {
          throw ValidationError("--\(kind.rawValue) \(source.title): is given twice")
        }
        sources.append(source)
      }
      try Self.checkCount(of: kind, in: sources)
    }
    return sources
  }

  /// The most sources of one kind for one timetable.
  static let mostSources = FeedSettings.mostSources

  private static func checkCount(of kind: RealtimeSource.Kind, in sources: [RealtimeSource]) throws
  {
    let counts = Dictionary(grouping: sources.filter { $0.kind == kind }, by: \.prefix)
    guard counts.values.contains(where: { $0.count > mostSources }) else { return }
    throw ValidationError("--\(kind.rawValue): at most \(mostSources) for one feed")
  }

  private static func source(
    _ kind: RealtimeSource.Kind,
    _ value: String,
    _ fields: HTTPFields
  ) throws -> RealtimeSource {
    let (prefix, address) = Self.parts(of: value)
    return try source(kind, prefix: prefix, address, fields)
  }

  /// Returns a source at a URL or in a file.
  ///
  /// - Throws: `ValidationError` with the problem of the address.
  static func source(
    _ kind: RealtimeSource.Kind,
    prefix: String,
    _ address: String,
    _ fields: HTTPFields
  ) throws -> RealtimeSource {
    guard !address.isEmpty else {
      throw ValidationError("--\(kind.rawValue): names nothing")
    }
    if address.contains("://") {
      do throws(WatchAddressError) {
        let request = try WatchAddress.request(
          address,
          fields: fields,
          option: "--feed-header"
        )
        return RealtimeSource(kind: kind, prefix: prefix, request: request)
      } catch {
        throw ValidationError("--\(kind.rawValue) \(error.description)")
      }
    }
    let path = URL(fileURLWithPath: address).standardizedFileURL.path
    let request = HTTPRequest(method: .get, scheme: "file", authority: "", path: path)
    return RealtimeSource(kind: kind, prefix: prefix, request: request)
  }

  /// The seconds between two checks of every timetable if tests set them.
  var staticInterval: Double? {
    poll.last { $0.hasPrefix("static=") }.flatMap { Double($0.dropFirst("static=".count)) }
      .map { min(max($0, 100), 600_000) / 1_000 }
  }

  private func rhythms() throws -> [RealtimeSource.Kind: Instant.Duration] {
    var rhythms: [RealtimeSource.Kind: Instant.Duration] = [:]
    for text in poll where !text.hasPrefix("static=") {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let kind = RealtimeSource.Kind(rawValue: String(parts[0])),
        let milliseconds = Int64(parts[1]), (100...600_000).contains(milliseconds)
      else { throw ValidationError("--poll \"\(text)\" is not like trip-updates=15000") }
      rhythms[kind] = .milliseconds(milliseconds)
    }
    return rhythms
  }

  /// Returns the prefix and the rest of `PREFIX=REST`, or an empty prefix and the whole value.
  private static func parts(of value: String) -> (prefix: String, rest: String) {
    guard let equals = value.firstIndex(of: "="), !value[..<equals].isEmpty,
      value[..<equals].allSatisfy({
        $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0))
      })
    else { return ("", value) }
    return (String(value[..<equals]), String(value[value.index(after: equals)...]))
  }

  /// Returns the recordings to replay, with the prefixes of their timetables.
  ///
  /// - Throws: `ValidationError` with the problem.
  func recordings() throws -> [(prefix: String, path: String)] {
    guard !replay.isEmpty else { return [] }
    for (option, values) in [
      ("--trip-updates", tripUpdates), ("--alerts", alerts),
      ("--vehicle-positions", vehiclePositions), ("--feed-header", feedHeader),
    ] where !values.isEmpty {
      throw ValidationError("--replay takes the place of all sources; leave \(option) out")
    }
    var files: [(prefix: String, path: String)] = []
    for value in replay {
      let (prefix, path) = Self.parts(of: value)
      guard !path.isEmpty else { throw ValidationError("--replay \"\(value)\" names no file") }
      guard !files.contains(where: { $0.prefix == prefix }) else {
        let which = prefix.isEmpty ? "the feed without a prefix" : "\"\(prefix)\""
        throw ValidationError("--replay: there are two for \(which)")
      }
      let full = URL(fileURLWithPath: path).standardizedFileURL.path
      guard !files.contains(where: { $0.path == full }) else {
        throw ValidationError("--replay \(path): is given twice")
      }
      files.append((prefix, full))
    }
    return files
  }

  /// Returns the phases to slow down.
  ///
  /// - Throws: `ValidationError` with the problem.
  func faults() throws -> PhaseFaults {
    var delays: [BoardPhase: Duration] = [:]
    for text in slow where text != "crowd" {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let phase = BoardPhase(rawValue: String(parts[0])),
        let milliseconds = Int(parts[1]), (0...60_000).contains(milliseconds)
      else { throw ValidationError("--slow \"\(text)\" is not like realtime=600") }
      delays[phase] = .milliseconds(milliseconds)
    }
    return PhaseFaults(delays, holdsRequests: slow.contains("crowd"))
  }
}
