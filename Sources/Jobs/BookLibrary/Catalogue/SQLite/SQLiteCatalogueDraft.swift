import GRDB

/// A catalogue in a file of its own, until it is whole.
struct SQLiteCatalogueDraft: CatalogueDraft {
  let queue: DatabaseQueue

  func add(_ batch: CatalogueBatch) async throws {
    try await queue.write { try SQLiteCatalogueTables($0).insert(batch) }
  }
}

/// The prepared statements that fill a catalogue.
private struct SQLiteCatalogueTables {
  private let author: Statement
  private let work: Statement
  private let workAuthor: Statement
  private let otherWorkAuthors: Statement
  private let edition: Statement
  private let editionAuthor: Statement
  private let otherEditionAuthors: Statement
  private let isbn: Statement

  init(_ database: Database) throws {
    author = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO authors (id, name) VALUES (?, ?)"
    )
    work = try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO works (id, title, subtitle, first_year, subjects, cover)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    )
    workAuthor = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO work_authors (work, position, author) VALUES (?, ?, ?)"
    )
    otherWorkAuthors = try database.cachedStatement(
      sql: "DELETE FROM work_authors WHERE work = ? AND position >= ?"
    )
    edition = try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO editions
          (id, work, title, subtitle, publisher, year, pages, language, format, cover)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    editionAuthor = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO edition_authors (edition, position, author) VALUES (?, ?, ?)"
    )
    otherEditionAuthors = try database.cachedStatement(
      sql: "DELETE FROM edition_authors WHERE edition = ? AND position >= ?"
    )
    isbn = try database.cachedStatement(
      sql: "INSERT OR IGNORE INTO isbns (isbn, edition) VALUES (?, ?)"
    )
  }

  func insert(_ batch: CatalogueBatch) throws {
    for row in batch.authors { try author.execute(arguments: [row.id, row.name]) }
    for row in batch.works { try insert(row) }
    for row in batch.editions {
      try insert(row.line)
      for number in row.isbns { try isbn.execute(arguments: [number, row.line.id]) }
    }
  }

  private func insert(_ row: DumpLine.Work) throws {
    try work.execute(
      arguments: [row.id, row.title, row.subtitle, row.firstYear, row.subjectText, row.cover]
    )
    for (position, id) in row.authors.enumerated() {
      try workAuthor.execute(arguments: [row.id, position, id])
    }
    // Of an earlier line with the same key.
    try otherWorkAuthors.execute(arguments: [row.id, row.authors.count])
  }

  private func insert(_ row: DumpLine.Edition) throws {
    try edition.execute(
      arguments: [
        row.id, row.work, row.title, row.subtitle, row.publisher, row.year, row.pages,
        row.language, row.format, row.cover,
      ]
    )
    for (position, id) in row.authors.enumerated() {
      try editionAuthor.execute(arguments: [row.id, position, id])
    }
    try otherEditionAuthors.execute(arguments: [row.id, row.authors.count])
  }
}
