/// A book as a row of a list describes it, in one form for all sources.
package struct BookRecord: Hashable, Sendable {
  /// The title without its series; empty only if the file has no column for titles.
  package var title: String
  /// The authors, given names first, the main author first.
  package var authors: [String] = []
  /// The number of this edition.
  package var isbn: ISBN?
  /// Text in place of the number that is not a valid ISBN, as written; only without ``isbn``.
  package var isbnText: String?
  /// The series.
  package var series: String?
  /// The number in the series, as written.
  package var seriesNumber: String?
  /// The publisher.
  package var publisher: String?
  /// Hardcover, paperback and the like, as written.
  package var format: String?
  /// How many pages there are.
  package var pages: Int?
  /// The year of this edition.
  package var year: Int?
  /// The year of the first edition; negative before our era.
  package var firstYear: Int?
  /// The language, as written.
  package var language: String?
  /// Where the owner is with it.
  package var status: ReadingStatus?
  /// The owner's rating in quarters of stars, 1 to 20.
  package var rating: Int?
  /// When reading began.
  package var started: BookDate?
  /// When reading ended.
  package var finished: BookDate?
  /// All times in which it was read, as the source lists them; empty if there is one, which the dates say.
  package var readings: [ReadingPeriod] = []
  /// When it came onto the list.
  package var added: BookDate?
  /// The owner's shelves and tags.
  package var shelves: [String] = []
  /// The owner's review.
  package var review: String?
  /// The owner's notes.
  package var notes: String?
  /// How often it was read.
  package var readCount: Int?
  /// How many copies are owned.
  package var owned: Int?
  /// The identifier of the entry in the service.
  package var entry: String?
  /// The key at Open Library.
  package var openLibrary: String?

  /// What names the entry in an export of a service: its identifier; the number, where the service goes by that.
  ///
  /// - Parameter scope: The ``ColumnMap/entryScope`` of the export.
  /// - Returns: The name; `nil` if the export says nothing that names its entries.
  package func entry(in scope: String?) -> String? {
    guard let scope else { return nil }
    return entry ?? (scope == ExportSource.storyGraph.rawValue ? isbn?.description : nil)
  }

  /// What names the entry in an export of a library, whose identifiers are those of many services; `nil` without one.
  package var entryOfLibrary: String? {
    entry.map { "\($0)\n\(titleKey)\n\(authorKey)" }
  }

  /// Creates a record.
  package init(title: String) { self.title = title }

  /// The title for comparisons; empty without a title.
  package var titleKey: String { title.isEmpty ? "" : BookKey.title(title) }
  /// The main author for comparisons; empty without an author.
  package var authorKey: String { authors.first.map(BookKey.author) ?? "" }
}
