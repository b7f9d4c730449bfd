package import Books

/// A person's books, what sources said of them, and what imports did.
///
/// Imports write in batches: the books of a batch, the outcome of each row and the progress of the import are one
/// transaction. An import that is called again after a crash continues after the last batch. Two stores have the same
/// books after the same batches in the same order, whichever database keeps them.
package protocol LibraryStore: Sendable {
  /// How many books there are.
  func count() async throws -> Int
  /// The books behind an id, in the order in which they came.
  ///
  /// - Parameters:
  ///   - id: The id of the last book of the page before; 0 for the first page.
  ///   - limit: The most books, at most ``LibraryLimits/page``.
  ///   - words: Only books whose title or authors have these words, folded; all books without any.
  /// - Returns: The books.
  /// - Throws: An error of the database.
  func books(after id: Int64, limit: Int, matching words: String) async throws -> [LibraryBook]
  /// A book by its number.
  func book(isbn: ISBN) async throws -> LibraryBook?
  /// The number of the book that a row with this title and author and without a number means.
  ///
  /// - Returns: The number; `nil` if the library has no such book, or the book has no number.
  func isbn(ofBooksLike book: BookRecord) async throws -> ISBN?

  // MARK: Imports

  /// How far an import is; nothing done for one that has not begun.
  func state(of job: String) async throws -> ImportState
  /// The jobs of all imports that are remembered.
  func imports() async throws -> [String]
  /// Removes what is remembered of an import and its rows; the books stay.
  func forget(_ job: String) async throws
  /// Stores a batch of rows: books, outcomes and the new state in one transaction.
  ///
  /// Rows that are done already are not done again.
  ///
  /// - Parameters:
  ///   - rows: The next rows of the file, in order, at most ``LibraryLimits/batchRows``.
  ///   - file: The import.
  ///   - isLast: Whether the file ends with them.
  /// - Returns: The outcome of each row.
  /// - Throws: An error of the database, or of the lease of the import, which has ended; nothing is stored then.
  func store(_ rows: [PendingRow], of file: ImportFile, isLast: Bool) async throws -> [RowReport]
  /// The outcomes of rows that were stored before.
  ///
  /// - Parameters:
  ///   - job: The import.
  ///   - row: The first row, from 1.
  ///   - limit: The most reports, at most ``LibraryLimits/page``.
  /// - Returns: The reports in the order of the rows.
  /// - Throws: An error of the database.
  func reports(of job: String, from row: Int, limit: Int) async throws -> [RowReport]

  // MARK: Removed books

  /// The books that were removed, the newest first.
  func removed(limit: Int) async throws -> [RemovedBook]
  /// Restores a removed book.
  ///
  /// - Parameter id: The number of the removed book.
  /// - Returns: The book; `nil` if no removed book has the number.
  /// - Throws: An error of the database.
  func restore(_ id: Int64) async throws -> LibraryBook?

  // MARK: The end

  /// Ends all waits for locks, because the program ends.
  func stopWaiting()
  /// Completes what was written, after the last import.
  func finishWriting() async
}

extension LibraryStore {
  /// The books, by default the first page of them.
  package func books(
    after id: Int64 = 0,
    limit: Int = LibraryLimits.page,
    matching words: String = ""
  ) async throws -> [LibraryBook] {
    try await books(after: id, limit: limit, matching: words)
  }

  /// The outcomes of a page of rows.
  package func reports(of job: String, from row: Int) async throws -> [RowReport] {
    try await reports(of: job, from: row, limit: LibraryLimits.page)
  }

  /// The books that were removed last, a page of them.
  package func removed() async throws -> [RemovedBook] {
    try await removed(limit: LibraryLimits.page)
  }
}

/// A book of a library.
package struct LibraryBook: Hashable, Sendable {
  /// Its number in the library.
  package var id: Int64
  /// Its record.
  package var record: BookRecord
}

/// A book that was removed because its service no longer has it.
package struct RemovedBook: Hashable, Sendable {
  /// The number it is restored by.
  package var id: Int64
  /// When it was removed, like `2026-11-24T07:00:00Z`.
  package var removedAt: String
  /// The book.
  package var record: BookRecord
}

/// An import: the job that runs it and the file it reads.
package struct ImportFile: Hashable, Sendable {
  /// The job's id; the key of everything that is remembered of the import.
  package var job: String
  /// The number of the lease under which the job is worked on; `nil` without a lease.
  package var fence: Int64?
  /// The file's name, for people.
  package var name: String
  /// The service that wrote it.
  package var source: ExportSource
  /// How its characters are written.
  package var encoding: TextEncoding
  /// Within what the identifiers of its entries are unique; `nil` if they say nothing.
  package var scope: String?
  /// The identifiers of all its entries.
  package var entries: Set<String> = []
  /// Whether it is known to be a part of another file.
  package var isPart = false

  /// Describes an import.
  package init(job: String, name: String, source: ExportSource, encoding: TextEncoding) {
    self.job = job
    self.name = name
    self.source = source
    self.encoding = encoding
  }
}

/// How far an import is.
package struct ImportState: Hashable, Sendable {
  /// How many rows are done, with books that were removed behind the last one.
  package var rowsDone = 0
  /// The counts by outcome.
  package var counts = ImportCounts()
  /// Whether the file has been read to its end.
  package var isFinished = false

  mutating func add(_ report: RowReport) {
    rowsDone = report.row
    counts.add(report)
  }
}

/// A row on its way into the library.
package struct PendingRow: Sendable {
  /// The row.
  package var row: BookFile.Row
  /// The earlier row of the file with the same book.
  package var duplicateOf: Int?

  /// Creates a row.
  package init(row: BookFile.Row, duplicateOf: Int? = nil) {
    self.row = row
    self.duplicateOf = duplicateOf
  }
}
