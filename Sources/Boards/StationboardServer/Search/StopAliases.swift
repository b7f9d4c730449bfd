import Foundation
package import GTFS

/// Names that people use for stops and that no feed has.
///
/// A CSV file with the columns `alias` and `stop_id`; a name in several languages or spellings takes
/// several rows.
package struct StopAliases {
  /// An alias and the id of its stop, without a feed's prefix.
  package struct Entry: Hashable, Sendable {
    /// The name people use.
    package var alias: String
    /// stop_id, in any shape the feed's stops are found by.
    package var stopId: String
  }

  /// The aliases of the file, in its order.
  package private(set) var entries: [Entry] = []

  /// The ids by their aliases, as they are written and as names are compared; of two that are equal, the first counts.
  var stops: [String: String] {
    let written = entries.map { ($0.alias, $0.stopId) }
    let compared = entries.map { (SearchText.normalized($0.alias), $0.stopId) }
    return Dictionary(written + compared) { first, _ in first }
  }

  /// Reads the file that is given, else the one that may be there, else nothing.
  ///
  /// - Throws: ``FeedError`` if the file that is given cannot be read, or either lacks a column.
  package init(path: String?, or standing: String) throws(FeedError) {
    guard let file = path ?? (FileManager.default.fileExists(atPath: standing) ? standing : nil)
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
      entries.append(entry)
    }
  }
}
