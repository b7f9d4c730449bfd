import Books
import GRDB

/// The tables of a library, and views for people who open it with `sqlite3`.
///
/// `SELECT * FROM library;` shows the books, `SELECT * FROM failed_rows;` what could not be imported.
enum SQLiteLibrarySchema {
  /// Is in the file's header: "FrBk".
  static let applicationID = 0x4672_426B
  /// The version of the tables and of the keys in them.
  ///
  /// Since 2 the keys of titles and authors are those of decomposed letters. Since 3 it is kept what each source said
  /// of a book, and what was removed. Since 4 a book has all times in which it was read.
  static let version = 4

  /// Whether a file is a library of this version.
  static func isPrepared(_ database: Database) throws -> Bool {
    try Int.fetchOne(database, sql: "PRAGMA application_id") == applicationID
      && Int.fetchOne(database, sql: "PRAGMA user_version") == version
  }

  /// Checks that a file is empty, or a library of this version or an earlier one.
  ///
  /// - Returns: The version; `nil` for an empty file.
  static func check(_ database: Database, path: String) throws -> Int? {
    let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    if application == 0, version == 0 {
      let others = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
      if others == 0 { return nil }
    }
    guard application == applicationID else {
      throw LibraryError(.otherFile, "\(path): the database is not a library of books")
    }
    guard version <= Self.version else {
      throw LibraryError(.otherFile, "\(path): written by a newer version of this program")
    }
    return version
  }

  /// Creates the tables in a new file, or checks those of an old one.
  static func prepare(_ database: Database, path: String) throws {
    guard let version = try check(database, path: path) else {
      try database.execute(sql: tables)
      try database.execute(sql: sourceTables)
      try database.execute(sql: views)
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      try database.execute(sql: "PRAGMA user_version = \(Self.version)")
      return
    }
    guard version < Self.version else { return }
    if version < 2 { try renewKeys(database) }
    try addSources(database)
    try database.execute(sql: "PRAGMA user_version = \(Self.version)")
  }

  /// Adds what libraries of earlier versions do not have.
  private static func addSources(_ database: Database) throws {
    let columns = [
      ("books", "isbn_text", "TEXT"), ("books", "readings", "TEXT"),
      ("import_rows", "entry", "TEXT"),
      ("imports", "removed", "INTEGER NOT NULL DEFAULT 0"),
    ]
    for (table, name, type) in columns
    where try !database.columns(in: table).contains(where: { $0.name == name }) {
      try database.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(name) \(type)")
    }
    try database.execute(sql: sourceTables)
  }

  /// Recomputes the keys of every book, and clears placeholder numbers.
  private static func renewKeys(_ database: Database) throws {
    try database.execute(sql: "UPDATE books SET isbn = NULL WHERE isbn = '\(noNumber)'")
    let update = try database.makeStatement(
      sql: "UPDATE books SET title_key = ?, author_key = ? WHERE id = ?"
    )
    var last: Int64 = 0
    while true {
      let page = try Row.fetchAll(
        database,
        sql: """
          SELECT id, title, (SELECT name FROM book_authors WHERE book = books.id AND position = 0)
          FROM books WHERE id > ? ORDER BY id LIMIT \(rowsAtOnce)
          """,
        arguments: [last]
      )
      guard let end = page.last else { break }
      for row in page {
        var book = BookRecord(title: row[1])
        book.authors = (row[2] as String?).map { [$0] } ?? []
        try update.execute(arguments: [book.titleKey, book.authorKey, row[0] as Int64])
      }
      last = end[0]
    }
  }

  /// What `0000000000` became with thirteen digits, before it was known not to be a number.
  private static let noNumber = "9780000000002"
  /// How many books have their keys renewed at once.
  private static let rowsAtOnce = 1_000

  private static let tables = """
    CREATE TABLE books (
      id INTEGER PRIMARY KEY,
      title TEXT NOT NULL,
      isbn TEXT UNIQUE,
      isbn_text TEXT,
      series TEXT, series_number TEXT,
      publisher TEXT, format TEXT, pages INTEGER, year INTEGER, first_year INTEGER, language TEXT,
      status TEXT, rating_quarters INTEGER,
      started TEXT, finished TEXT, readings TEXT, added TEXT,
      review TEXT, notes TEXT, read_count INTEGER, owned INTEGER,
      entry TEXT, open_library TEXT,
      title_key TEXT NOT NULL, author_key TEXT NOT NULL,
      created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
      updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    );
    CREATE INDEX books_by_key ON books (title_key, author_key);
    CREATE TABLE book_authors (
      book INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (book, position)
    ) WITHOUT ROWID;
    CREATE TABLE book_shelves (
      book INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      shelf TEXT NOT NULL,
      PRIMARY KEY (book, position)
    ) WITHOUT ROWID;
    CREATE TABLE imports (
      job TEXT PRIMARY KEY,
      file TEXT NOT NULL,
      source TEXT NOT NULL,
      encoding TEXT NOT NULL,
      rows_done INTEGER NOT NULL DEFAULT 0,
      imported INTEGER NOT NULL DEFAULT 0,
      updated INTEGER NOT NULL DEFAULT 0,
      duplicates INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0,
      blank INTEGER NOT NULL DEFAULT 0,
      warned INTEGER NOT NULL DEFAULT 0,
      removed INTEGER NOT NULL DEFAULT 0,
      finished INTEGER NOT NULL DEFAULT 0,
      started_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    ) WITHOUT ROWID;
    CREATE TABLE import_rows (
      job TEXT NOT NULL REFERENCES imports (job) ON DELETE CASCADE,
      row INTEGER NOT NULL,
      line INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      book INTEGER,
      duplicate_of INTEGER,
      title TEXT NOT NULL,
      author TEXT NOT NULL,
      isbn TEXT,
      problems TEXT NOT NULL,
      raw BLOB,
      entry TEXT,
      PRIMARY KEY (job, row)
    ) WITHOUT ROWID;
    """

  /// What sources said of books; which entries a list of a service had when it was imported last; what went with them.
  private static let sourceTables = """
    CREATE INDEX IF NOT EXISTS books_by_entry ON books (entry) WHERE entry IS NOT NULL;
    CREATE TABLE IF NOT EXISTS book_sources (
      source TEXT NOT NULL,
      entry TEXT NOT NULL,
      book INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
      said TEXT NOT NULL,
      made INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (source, entry)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS book_sources_by_book ON book_sources (book);
    CREATE TABLE IF NOT EXISTS source_lists (id INTEGER PRIMARY KEY, source TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS source_list_entries (
      list INTEGER NOT NULL REFERENCES source_lists (id) ON DELETE CASCADE,
      entry TEXT NOT NULL,
      PRIMARY KEY (list, entry)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS removed_books (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      removed_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
      job TEXT NOT NULL,
      source TEXT NOT NULL,
      record TEXT NOT NULL
    );
    """

  private static let views = """
    CREATE VIEW library AS
      SELECT id, title,
        (SELECT group_concat(name, '; ') FROM
          (SELECT name FROM book_authors WHERE book = books.id ORDER BY position)) AS authors,
        isbn, series, series_number, status, rating_quarters / 4.0 AS rating,
        (SELECT group_concat(shelf, '; ') FROM
          (SELECT shelf FROM book_shelves WHERE book = books.id ORDER BY position)) AS shelves,
        started, finished, added, publisher, year, first_year, pages, format, language,
        read_count, owned, review, notes, created_at, updated_at
      FROM books;
    CREATE VIEW failed_rows AS
      SELECT job, row, line, title, author, problems, CAST(raw AS TEXT) AS text
      FROM import_rows WHERE outcome = 'failed';
    """
}
