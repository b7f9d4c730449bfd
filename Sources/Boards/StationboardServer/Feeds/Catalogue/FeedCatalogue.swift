package import GTFS

/// Feeds that others have collected: the CSV file of the Mobility Database, or DMFR files (Distributed Mobility Feed
/// Registry) as in the Transitland Atlas.
///
/// Only timetables are kept. An entry that cannot be used is left out: a catalogue is edited by many people.
package struct FeedCatalogue: Sendable {
  /// A timetable.
  package struct Entry: Codable, Hashable, Sendable {
    /// Its id in the catalogue, such as `mdb-772` or `f-u0q-vbz`.
    package var id: String
    /// The operators, and the name of the feed if it has one.
    package var name: String
    /// Municipality, subdivision and country, as far as the catalogue says.
    package var place: String
    /// Where the timetable is: http or https.
    package var address: String
    /// How to get access, if it is restricted; empty if the catalogue does not say how.
    package var access: String?
    /// The license, if the catalogue says it.
    package var license: String?
    /// Whether the catalogue says that it is not kept up.
    package var isInactive: Bool
  }

  /// The entries in the order of the catalogue.
  package let all: [Entry]

  /// Reads a catalogue.
  ///
  /// - Parameter path: A CSV file, a DMFR file, or a folder of DMFR files (`.json`), which is not searched deeper.
  /// - Throws: ``FeedError`` with code `unreadable` or `invalid`.
  package init(path: String) throws(FeedError) { all = try CatalogueReader(path).entries() }

  /// Returns the entry with an id, or `nil`.
  package func entry(id: String) -> Entry? { all.first { $0.id == id } }

  /// Finds the entries that have all words of a query in their name, place, id or address.
  ///
  /// Case and accents do not count, and the beginning of a word is enough. Those with more of the words in their name
  /// come first, and those that are kept up.
  ///
  /// - Parameter query: The words.
  /// - Returns: The matching entries; every entry if the query has no words.
  package func search(_ query: String) -> [Entry] {
    let wanted = SearchText.words(query)
    func has(_ words: [String], _ word: String) -> Bool { words.contains { $0.hasPrefix(word) } }
    let found = all.enumerated()
      .compactMap { offset, entry -> (rank: (Int, Int, Int), entry: Entry)? in
        let name = SearchText.words(entry.name)
        let rest = SearchText.words("\(entry.place) \(entry.id) \(entry.address)")
        guard wanted.allSatisfy({ has(name, $0) || has(rest, $0) }) else { return nil }
        let inName = wanted.count { has(name, $0) }
        return ((entry.isInactive ? 1 : 0, -inName, offset), entry)
      }
    return found.sorted { $0.rank < $1.rank }.map(\.entry)
  }
}
