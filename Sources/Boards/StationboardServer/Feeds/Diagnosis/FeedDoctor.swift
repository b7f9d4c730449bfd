package import ConditionalHTTP
import Foundation
package import GTFS
package import Serving
package import Timetable

/// Imports a feed to try it, and says what would serve of it and how realtime fits.
///
/// Nothing that serves is touched: the import is made in a folder of its own.
package struct FeedDoctor: Sendable {
  /// A realtime source to try.
  package struct Realtime: Sendable {
    /// The source.
    package var source: RealtimeSource
    /// What the diagnosis calls it.
    package var title: String

    /// Names a source; its kind does not matter.
    package init(_ source: RealtimeSource, title: String) {
      self.source = source
      self.title = title
    }
  }

  private let exchange: any HTTPExchange & HTTPStreaming
  private let clock: ServiceClock
  private let folder: DataFolder

  /// Creates a doctor.
  ///
  /// - Parameters:
  ///   - folder: An empty folder, which the caller removes.
  ///   - exchange: Sends the requests.
  ///   - clock: The service clock.
  package init(
    folder: DataFolder,
    exchange: any HTTPExchange & HTTPStreaming,
    clock: ServiceClock
  ) {
    self.folder = folder
    self.exchange = exchange
    self.clock = clock
  }

  /// Tries a feed.
  ///
  /// - Parameters:
  ///   - place: Where the feed is.
  ///   - title: What the diagnosis calls it.
  ///   - encoding: The encoding of its files; `nil` if it is to be found.
  ///   - realtime: The realtime sources to compare with it.
  ///   - leastPercent: The share of the trip updates that must match.
  ///   - progress: Called during the download, the import, and the requests of realtime.
  /// - Returns: What was found. A feed that cannot be used is a finding too.
  /// - Throws: ``FeedError`` with code `unreadable` if the feed is missing, `cannotWrite` if the folder cannot be
  ///   written.
  package func examine(
    _ place: FeedPlace,
    title: String,
    encoding: TextEncoding?,
    realtime: [Realtime],
    leastPercent: Int,
    progress: @escaping @Sendable (ImportProgress) -> Void
  ) async throws(FeedError) -> FeedDiagnosis {
    let path = try await place.file(
      orDownloaded: folder.path + "/download",
      by: exchange,
      now: clock.now,
      progress: progress
    )
    var diagnosis: FeedDiagnosis
    do throws(FeedError) {
      let report = try FeedImporter(folder: folder, encoding: encoding).run(
        source: path,
        prefix: nil,
        aliases: nil,
        now: clock.now,
        progress: progress
      )
      guard let entry = try folder.manifest().feeds.first else {
        throw FeedError(.cannotWrite, "\(folder.path): the import is gone")
      }
      let feed = try Feed(entry, in: folder)
      diagnosis = FeedDiagnosis(report, feed.timetable, now: clock.now)
      diagnosis.feed = title
      for (number, each) in realtime.enumerated() {
        progress(ImportProgress(step: "realtime", done: number, total: realtime.count))
        let check = RealtimeCheck(source: each.source, exchange: exchange, clock: clock)
        let result = await check.runWhole(against: feed, leastPercent: leastPercent)
        diagnosis.realtime.append(
          FeedDiagnosis.Realtime(
            source: each.title,
            isGood: result.isGood,
            sentences: result.sentences
          )
        )
      }
    } catch {
      guard error.code != .unreadable, error.code != .cannotWrite else { throw error }
      return FeedDiagnosis(feed: title, refusal: error)
    }
    return diagnosis
  }
}
