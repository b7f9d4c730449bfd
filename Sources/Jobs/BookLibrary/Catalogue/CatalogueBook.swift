package import Books

/// A book in a catalogue.
package struct CatalogueBook: Hashable, Sendable {
  /// The title.
  package var title: String
  /// The subtitle.
  package var subtitle: String?
  /// The authors, the main author first.
  package var authors: [String] = []
  /// The number of the edition that was found; one of several if none was asked for.
  package var isbn: ISBN?
  /// The publisher of the edition.
  package var publisher: String?
  /// The year of the edition.
  package var year: Int?
  /// The year of the first edition.
  package var firstYear: Int?
  /// How many pages the edition has.
  package var pages: Int?
  /// The language of the edition, as three letters (ISO 639-2).
  package var language: String?
  /// Hardcover, paperback and the like.
  package var format: String?
  /// Its subjects.
  package var subjects: [String] = []
  /// The key of the work at Open Library, like `OL45883W`.
  package var work: String?
  /// The key of the edition at Open Library, like `OL7353617M`.
  package var edition: String?
  /// The number of the cover at Open Library.
  package var cover: Int64?

  /// Creates a book.
  package init(title: String) { self.title = title }

  /// Where the cover is; in the sizes S, M and L, of which this is the large one.
  package var coverAddress: String? {
    cover.map { "https://covers.openlibrary.org/b/id/\($0)-L.jpg" }
  }
}
