import Foundation
package import GTFS
import HTTPTypes
import Timetable

/// The sources that `freshet feeds add` keeps in the data folder: `sources.json`, readable only by its owner
/// because fields may hold credentials.
package struct StaticSourceList: Codable, Hashable, Sendable {
  /// A source as it is written.
  private struct Entry: Codable, Hashable, Sendable {
    var prefix: String?
    var address: String
    var headers: [String: String]?
    var checkSeconds: Double?
    var maxLostPercent: Double?
    var maxRejectedPercent: Double?
    var encoding: String?
  }

  private var sources: [Entry] = []

  /// Creates an empty list.
  package init() {}

  /// Reads the list of a data folder; an empty one if nothing was added.
  ///
  /// - Throws: ``FeedError`` if the file cannot be read.
  package init(of folder: DataFolder) throws(FeedError) {
    try folder.refuseForeignLinks()
    guard FileManager.default.fileExists(atPath: folder.sourcesPath) else { return }
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: folder.sourcesPath))
      self = try JSONDecoder().decode(StaticSourceList.self, from: data)
    } catch {
      // The error would show what the file holds.
      throw FeedError(
        .unreadable,
        "\(folder.sourcesPath): cannot be read or is not a list of sources"
      )
    }
  }

  /// Changes the list of a data folder under a lock, so that concurrent changes follow each other.
  ///
  /// - Returns: What the change returns.
  /// - Throws: ``FeedError`` if the file cannot be read or written, or of the change; the list is as before then.
  package static func change<Result>(
    of folder: DataFolder,
    _ change: (inout StaticSourceList) throws(FeedError) -> Result
  ) throws(FeedError) -> Result {
    try folder.create(folder.path)
    let lock = try FileLock(path: folder.sourcesLockPath, kind: .exclusive, waits: true)
    defer { withExtendedLifetime(lock) {} }
    var list = try StaticSourceList(of: folder)
    let before = list
    let result = try change(&list)
    if list != before { try folder.replace(folder.sourcesPath, with: list, isPrivate: true) }
    return result
  }

  /// The sources; an entry that is not an address is left out.
  package var all: [StaticSource] {
    sources.compactMap { entry in
      guard let url = URLComponents(string: entry.address), let scheme = url.scheme,
        let host = url.percentEncodedHost, !host.isEmpty, ["http", "https"].contains(scheme)
      else { return nil }
      var fields = HTTPFields()
      for (name, value) in (entry.headers ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let name = HTTPField.Name(name) else { return nil }
        fields.append(HTTPField(name: name, value: value))
      }
      let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
      return StaticSource(
        prefix: entry.prefix,
        request: HTTPRequest(
          method: .get,
          scheme: scheme,
          authority: url.port.map { "\(host):\($0)" } ?? host,
          path: path + (url.percentEncodedQuery.map { "?\($0)" } ?? ""),
          headerFields: fields
        ),
        interval: entry.checkSeconds ?? StaticSource.usualInterval,
        maxLostShare: entry.maxLostPercent.map { $0 / 100 } ?? StaticSource.usualLostShare,
        limit: entry.maxRejectedPercent.map { RejectedRowLimit(share: $0 / 100) } ?? .usual,
        encoding: entry.encoding.flatMap { TextEncoding(name: $0) }
      )
    }
  }

  /// Adds a source, in place of the one of the same feed.
  package mutating func add(_ source: StaticSource) throws(FeedError) {
    remove(prefix: source.prefix)
    guard sources.count < StaticFeedLimits.sources else {
      throw FeedError(.limitExceeded, "there are \(sources.count) sources; the limit is reached")
    }
    let request = source.request
    var headers: [String: String] = [:]
    // Several lines of one field are one line with commas (RFC 9110 section 5.3).
    for field in request.headerFields where headers[field.name.canonicalName] == nil {
      headers[field.name.canonicalName] = request.headerFields[field.name]
    }
    sources.append(
      Entry(
        prefix: source.prefix,
        address: "\(request.scheme ?? "http")://\(request.authority ?? "")\(request.path ?? "/")",
        headers: headers.isEmpty ? nil : headers,
        checkSeconds: source.interval == StaticSource.usualInterval ? nil : source.interval,
        maxLostPercent: source.maxLostShare == StaticSource.usualLostShare
          ? nil : source.maxLostShare * 100,
        maxRejectedPercent: source.limit == .usual ? nil : source.limit.share * 100,
        encoding: source.encoding?.name
      )
    )
  }

  /// Removes the source of a feed.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package mutating func remove(prefix: String?) -> Bool {
    let count = sources.count
    sources.removeAll { $0.prefix == prefix }
    return sources.count < count
  }
}

extension DataFolder {
  /// The list of sources.
  var sourcesPath: String { path + "/sources.json" }
  var sourcesLockPath: String { path + "/sources.lock" }
  private var staticFolder: String { path + "/static" }
  /// Where the download of a feed goes.
  func downloadPath(of key: String) -> String { "\(staticFolder)/\(key).download" }
  private func schedulePath(of key: String) -> String { "\(staticFolder)/\(key).json" }

  /// The schedule of a feed's source; a new one if it was never asked or its file is damaged.
  package func schedule(of key: String) -> StaticSchedule {
    guard let data = FileManager.default.contents(atPath: schedulePath(of: key)) else {
      return StaticSchedule()
    }
    return (try? JSONDecoder().decode(StaticSchedule.self, from: data)) ?? StaticSchedule()
  }

  /// Writes the schedule of a feed's source.
  func write(_ schedule: StaticSchedule, of key: String) throws(FeedError) {
    try create(staticFolder)
    try replace(schedulePath(of: key), with: schedule)
  }

  /// Forgets the schedule of a feed's source and what was downloaded.
  package func removeSchedule(of key: String) {
    for path in [schedulePath(of: key), downloadPath(of: key)] {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Takes the lock of a source; `nil` if another process asks it.
  func lockSource(_ key: String) throws(FeedError) -> FileLock? {
    try create(staticFolder)
    return try FileLock(path: "\(staticFolder)/\(key).lock", kind: .exclusive)
  }
}
