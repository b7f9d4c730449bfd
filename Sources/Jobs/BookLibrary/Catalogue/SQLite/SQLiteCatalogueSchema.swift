import Books
import GRDB

/// The tables of a catalogue in a file.
enum SQLiteCatalogueSchema {
  /// Is in the file's header: "FrCa".
  static let applicationID = 0x4672_4361
  /// The version of the tables and of the words in them.
  ///
  /// Since 4 the index ranks: it stores the positions of words and the lengths of texts, without which every rank is 0
  /// and a search for common words returns the oldest works.
  static let version = 4
  /// The readable versions; those older than ``version`` find books but do not rank them.
  static let readable = 3...version

  static let tables = """
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE works (
      id INTEGER PRIMARY KEY, title TEXT NOT NULL, subtitle TEXT, first_year INTEGER, subjects TEXT,
      cover INTEGER
    );
    CREATE TABLE work_authors (
      work INTEGER NOT NULL, position INTEGER NOT NULL, author INTEGER NOT NULL,
      PRIMARY KEY (work, position)
    ) WITHOUT ROWID;
    CREATE TABLE editions (
      id INTEGER PRIMARY KEY, work INTEGER, title TEXT NOT NULL, subtitle TEXT, publisher TEXT,
      year INTEGER, pages INTEGER, language TEXT, format TEXT, cover INTEGER
    );
    CREATE TABLE edition_authors (
      edition INTEGER NOT NULL, position INTEGER NOT NULL, author INTEGER NOT NULL,
      PRIMARY KEY (edition, position)
    ) WITHOUT ROWID;
    CREATE TABLE isbns (isbn INTEGER PRIMARY KEY, edition INTEGER NOT NULL);
    CREATE TABLE common_words (word TEXT PRIMARY KEY, works INTEGER NOT NULL) WITHOUT ROWID;
    CREATE VIRTUAL TABLE search USING fts5 (
      title, authors, content = '', detail = full,
      tokenize = "ascii"
    );
    """

  /// Builds the indexes after the last line: the words of every work's titles and authors, folded as
  /// `BookKey` folds them.
  ///
  /// The tokenizer takes the words as they are: a mark inside one does not part it.
  static func finish(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE INDEX editions_by_work ON editions (work);
        CREATE INDEX isbns_by_edition ON isbns (edition);
        """
    )
    let insert = try database.makeStatement(
      sql: "INSERT INTO search (rowid, title, authors) VALUES (?, ?, ?)"
    )
    let page = try database.makeStatement(
      sql: """
        SELECT id, title, subtitle,
          (SELECT group_concat(name, ' ') FROM work_authors JOIN authors ON authors.id = author
            WHERE work = works.id)
        FROM works WHERE id > ? ORDER BY id LIMIT \(CatalogueLimits.orderedAtOnce)
        """
    )
    var last: Int64 = -1
    while true {
      let rows = try Row.fetchAll(page, arguments: [last])
      guard let end = rows.last else { break }
      last = end[0]
      for row in rows {
        let title = [row[1] as String, row[2] as String? ?? ""].joined(separator: " ")
        try insert.execute(
          arguments: [
            row[0] as Int64, BookKey.words(title).joined(separator: " "),
            BookKey.words(row[3] as String? ?? "").joined(separator: " "),
          ]
        )
      }
    }
    try database.execute(sql: "INSERT INTO search (search) VALUES ('optimize')")
    try database.execute(
      sql: """
        CREATE VIRTUAL TABLE temp.search_words USING fts5vocab(main, search, row);
        INSERT INTO common_words SELECT term, doc FROM temp.search_words WHERE doc > \(CatalogueLimits.fewWorks);
        DROP TABLE temp.search_words;
        ANALYZE;
        """
    )
  }
}
