/// The limits of a catalogue.
package enum CatalogueLimits {
  /// The most works that a search by words examines.
  package static let mostWorks = 200
  /// The most words of a title that are searched for; of a spine twice as many.
  package static let mostWords = 12
  /// The most works that a search for any of some words ranks in a file, as far as the counts of words say.
  package static let mostRanked = 200_000
  /// The most works that a search ranks in a database, which reads each of them.
  package static let mostRankedInDatabase = 50_000
  /// Words of more works than this are counted, so that searches can do without them.
  package static let fewWorks = 2_000
  /// How many lines are stored at once; the rest of a block may come on top.
  package static let batchLines = 20_000
  /// How many bytes of lines are stored at once; the rest of a block may come on top.
  package static let batchBytes = 8 << 20
  /// How many works are ordered for the search at once.
  package static let orderedAtOnce = 20_000
  /// How many rows of an earlier catalogue are removed from a database at once.
  package static let removedAtOnce = 20_000
  /// The most words of the titles, and of the authors, by which a database finds a work.
  package static let indexedWords = 500
  /// The longest word by which a database finds a work, in bytes.
  package static let wordBytes = 200
  /// The most connections to a database for searches.
  package static let connections = 4
  /// The longest time that a search waits for one of them, in seconds.
  package static let waitSeconds = 30.0
  /// The longest time of a statement that stores, orders or removes a part of a catalogue in a database, in seconds.
  package static let partSeconds = 600.0
  /// The longest time in which a database counts a whole catalogue, in seconds.
  package static let countSeconds = 21_600.0
  /// How often an import looks for a free slot in a database while others take it.
  package static let slotAttempts = 100
  /// The longest time that an import waits for another one in a database, in seconds.
  package static let turnSeconds = 86_400.0
  /// The longest time of one of the statements with which it waits, in seconds: each keeps the database from cleaning up
  /// what was changed since it began.
  package static let turnPartSeconds = 10.0
}
