import Foundation
package import GTFS
import Synchronization
package import Timetable

/// A feed that serves: its timetable, its stop search, and how its ids look from outside.
package final class Feed: Sendable {
  /// The names of the files of a generation.
  static let timetableName = "timetable.freshet"
  static let searchName = "stops.sqlite"
  static let reportName = "report.json"
  static let onDemandName = "on-demand.json"

  /// Where the feed comes from in the manifest.
  package let entry: FeedManifest.Feed
  /// The timetable.
  package let timetable: Timetable
  /// What boards say about each route.
  let routes: [RouteLabel]
  /// The services that run on demand.
  let onDemand: OnDemandDirectory
  /// The stop search.
  let stops: StopIndex
  /// The prefix of every id, including the colon; empty without a prefix.
  let idPrefix: String
  /// Counts the openings of feeds: no two have the same number.
  let number: Int
  private static let opened = Atomic<Int>(0)
  private let lock: FileLock

  /// Opens a generation.
  ///
  /// - Throws: ``FeedError`` if a file is missing or damaged.
  package init(_ entry: FeedManifest.Feed, in folder: DataFolder) throws(FeedError) {
    self.entry = entry
    guard let lock = try folder.lockForReading(entry) else {
      throw FeedError(.busy, "\(folder.folder(of: entry)): is being removed")
    }
    self.lock = lock
    number = Self.opened.add(1, ordering: .relaxed).newValue
    let path = folder.folder(of: entry)
    timetable = try Timetable(path: path + "/" + Self.timetableName)
    let timetable = timetable
    routes = (0..<timetable.routeCount).map { RouteLabel(timetable.route($0)) }
    onDemand = OnDemandDirectory(path: path + "/" + Self.onDemandName, timetable)
    do {
      stops = try StopIndex(path: path + "/" + Self.searchName)
    } catch {
      throw FeedError(.damagedTimetable, "\(path)/\(Self.searchName): \(error)")
    }
    idPrefix = entry.prefix.map { $0 + ":" } ?? ""
  }

  /// The feed's own id for an id from outside; `nil` if it has another prefix.
  func localId(_ id: String) -> String? {
    idPrefix.isEmpty ? id : id.hasPrefix(idPrefix) ? String(id.dropFirst(idPrefix.count)) : nil
  }

  /// An id as it is given out.
  func publicId(_ bytes: UnsafeRawBufferPointer) -> String {
    idPrefix + String(decoding: bytes, as: UTF8.self)
  }
}
