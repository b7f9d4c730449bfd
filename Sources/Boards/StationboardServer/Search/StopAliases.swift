import Foundation
package import GTFS

/// Other ids and names of stops, which the feed does not have.
///
/// A CSV file with the columns `alias` and `stop_id`; a name in several languages or spellings takes
/// several rows. Each may be used wherever a stop_id may, and the search finds its stop by it.
package struct StopAliases {
  /// An alias and the id of its stop, without a feed's prefix.
  package struct Entry: Hashable, Sendable {
    /// The name people use.
    package var alias: String
    /// stop_id, in any shape the feed's stops are found by.
    package var stopId: String
  }

  /// The most aliases of a file.
  package static let most = 100_000

  /// The aliases of the file, in its order.
  package private(set) var entries: [Entry] = []

  /// Reads the file that is given, else the one that may be there, else nothing.
  ///
  /// - Throws: ``FeedError`` if the file that is given cannot be read, either lacks a column, a value is empty or longer
  ///   than an id may be (``BoardLimits/longestId``), or there are more than ``most``.
  package init(path: String?, or usualPath: String) throws(FeedError) {
    guard let file = path ?? (FileManager.default.fileExists(atPath: usualPath) ? usualPath : nil)
    else { return }
    let reader = try CSVReader(try FileSource(path: file), file: file)
    let alias = try reader.required("alias")
    let stop = try reader.required("stop_id")
    while try reader.next() {
      if let problem = reader.problem {
        throw FeedError(.invalid, "\(file), line \(reader.line): \(problem)")
      }
      let entry = Entry(
        alias: String(decoding: reader.bytes(alias), as: UTF8.self),
        stopId: String(decoding: reader.bytes(stop), as: UTF8.self)
      )
      guard !entry.alias.isEmpty, !entry.stopId.isEmpty else {
        throw FeedError(.invalid, "\(file), line \(reader.line): alias or stop_id is blank")
      }
      guard max(entry.alias.count, entry.stopId.count) <= BoardLimits.longestId else {
        throw FeedError(
          .invalid,
          "\(file), line \(reader.line): more than \(BoardLimits.longestId) characters"
        )
      }
      guard entries.count < Self.most else {
        throw FeedError(.invalid, "\(file): more than \(Self.most) aliases")
      }
      entries.append(entry)
    }
  }
}
