import ArgumentParser
import Commands
import Foundation
import Freshness
import GTFS
import HTTPTypes
import ServeSettings
import StationboardServer
import Storage
import Timetable

extension ServeSettings {
  /// Returns the failure of a command that cannot use a member of the file.
  ///
  /// - Parameters:
  ///   - member: Its place in the file, such as `limits.connections`.
  ///   - reason: What is wrong with it.
  /// - Returns: The failure.
  func failure(_ member: String, _ reason: String) -> CommandFailure {
    CommandFailure("freshet serve: --config \(file): $.\(member): \(reason)", .configuration)
  }
}

/// The file of `freshet serve --config`.
struct ConfigurationFile {
  let path: String
  let settings: ServeSettings
  /// Whether the file holds credentials and is readable by other users.
  let isExposed: Bool
  /// The command that reads it, for errors.
  private let command: String

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - command: The command that reads it, for errors.
  /// - Throws: ``CommandFailure`` with the reason.
  init(path: String, for command: String = "freshet serve") throws {
    self.path = path
    self.command = command
    let url = URL(fileURLWithPath: path)
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: url)
      bytes = Array(try handle.read(upToCount: ServeSettings.longestFile + 1) ?? Data())
    } catch {
      let reason = ErrorText.of(error, showsPath: false)
      try Self.fail("\(path): cannot be read: \(reason)", command, .noInput)
    }
    guard bytes.count <= ServeSettings.longestFile else {
      try Self.fail("\(path): is longer than \(ServeSettings.longestFile) bytes", command)
    }
    let environment = ProcessInfo.processInfo.environment
    do throws(SettingsError) {
      settings = try ServeSettings(bytes, file: path, environment: { environment[$0] })
    } catch {
      try Self.fail(error.description, command)
    }
    let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    isExposed = settings.holdsSecrets && (mode ?? 0) & 0o044 != 0
  }

  /// Returns the sources, except for those that the command line gives itself.
  ///
  /// - Throws: ``CommandFailure`` with the reason.
  func sources(besides given: [RealtimeSource]) throws -> [RealtimeSource] {
    var sources: [RealtimeSource] = []
    for feed in settings.feeds {
      for (kind, own) in [
        (RealtimeSource.Kind.tripUpdates, feed.tripUpdates), (.alerts, feed.alerts),
        (.vehiclePositions, feed.vehiclePositions),
      ] where !given.contains(where: { $0.kind == kind && $0.prefix == feed.prefix }) {
        for source in own { sources.append(try read(source, kind, of: feed)) }
      }
    }
    return sources
  }

  private func read(
    _ source: FeedSettings.Source,
    _ kind: RealtimeSource.Kind,
    of feed: FeedSettings
  ) throws -> RealtimeSource {
    do {
      // A field of the source takes the place of the feed's.
      let own = Set(source.headers.map { $0.name.lowercased() })
      let headers = source.headers + feed.headers.filter { !own.contains($0.name.lowercased()) }
      let fields = try WatchAddress.fields(
        headers.map { "\($0.name): \($0.value)" },
        option: "headers"
      )
      var read = try RealtimeOptions.source(kind, prefix: feed.prefix, source.address, fields)
      read.every = source.pollSeconds.map { .seconds(Int64($0)) }
      return read
    } catch {
      // Neither of them contains the value of a field.
      let reason = (error as? ValidationError)?.message ?? "\(error)"
      try Self.fail("\(path): \(source.place): \(reason)", command)
    }
  }

  /// Returns the sources of timetables.
  ///
  /// - Throws: ``CommandFailure`` with the reason.
  func staticSources() throws -> [StaticSource] {
    try settings.feeds.compactMap { feed in
      guard let address = feed.timetable else { return nil }
      let encoding = feed.encoding.flatMap { TextEncoding(name: $0) }
      if let name = feed.encoding, encoding == nil {
        try Self.fail(
          "\(path): \(feed.place).encoding: expected one of"
            + " \(TextEncoding.all.map(\.name).joined(separator: ", ")), found \"\(name)\"",
          command
        )
      }
      do {
        let fields = try WatchAddress.fields(
          feed.headers.map { "\($0.name): \($0.value)" },
          option: "headers"
        )
        return StaticSource(
          prefix: feed.prefix.isEmpty ? nil : feed.prefix,
          request: try WatchAddress.request(address, fields: fields, option: "headers"),
          interval: feed.checkSeconds.map(Double.init) ?? StaticSource.usualInterval,
          maxLostShare: feed.maxLostPercent.map { Double($0) / 100 } ?? StaticSource.usualLostShare,
          limit: feed.maxRejectedPercent.map { RejectedRowLimit(share: Double($0) / 100) }
            ?? .usual,
          encoding: encoding
        )
      } catch {
        try Self.fail("\(path): \(feed.place).static: \(error)", command)
      }
    }
  }

  private static func fail(
    _ reason: String,
    _ command: String,
    _ exit: ProgramExit = .configuration
  ) throws -> Never {
    throw CommandFailure("\(command): --config \(reason)", exit)
  }
}
