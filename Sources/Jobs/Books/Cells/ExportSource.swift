/// The service whose export a file is.
package enum ExportSource: String, Hashable, Sendable, CaseIterable {
  /// An export of a library of this program: every name is written as it is (``NameList``).
  case freshet
  /// Goodreads: CSV, `Book Id`, `Exclusive Shelf`.
  case goodreads
  /// StoryGraph: CSV, `ISBN/UID`, `Read Status`.
  case storyGraph = "storygraph"
  /// LibraryThing: TSV of some fifty columns, brackets around dates and ISBNs.
  case libraryThing = "librarything"
  /// BookWyrm: CSV, `author_text`, `shelf_name`.
  case bookWyrm = "bookwyrm"
  /// Any other table with a title or an ISBN.
  case generic

  /// Columns that together only an export of a library has.
  private static let ownNames: Set<String> = [
    "title", "authors", "isbn13", "shelves", "date started", "read count", "private notes",
    "book id", "openlibrary key",
  ]

  /// The service whose columns these are.
  ///
  /// - Parameter names: The names of the columns, as ``BookColumn/name(of:)`` writes them.
  package init(names: Set<String>) {
    if names.isSuperset(of: Self.ownNames) {
      self = .freshet
    } else if names.isSuperset(of: ["book id", "exclusive shelf"]) {
      self = .goodreads
    } else if names.contains("isbn/uid") || names.isSuperset(of: ["read status", "star rating"]) {
      self = .storyGraph
    } else if names.contains("primary author"),
      names.contains("entry date") || names.contains("collections")
    {
      self = .libraryThing
    } else if names.contains("author text"), names.contains("shelf") || names.contains("remote id")
    {
      self = .bookWyrm
    } else {
      self = .generic
    }
  }
}
