import Books
import Foundation
import GRDB
import PostgresClient
import Testing

@testable import BookLibrary

// What only a catalogue in a file does, and how dumps are read.
@Suite struct CatalogueTests {
  /// Imports dumps into a file.
  @discardableResult
  static func importLines(
    _ files: String...,
    into path: String
  ) async throws -> CatalogueImport.Report {
    try await CatalogueImport.run(files: files, into: SQLiteCatalogue(path: path))
  }

  /// The catalogue in a file.
  static func open(_ path: String) throws -> SQLiteCatalogue {
    let catalogue = SQLiteCatalogue(path: path)
    try catalogue.open()
    return catalogue
  }

  @Test func `a search for any of some words leaves the most common ones out`() throws {
    let database = try DatabaseQueue()
    try database.write { database in
      try database.execute(sql: SQLiteCatalogueSchema.tables)
      for (word, works) in [("the", 500_000), ("history", 150_000), ("river", 60_000)] {
        try database.execute(
          sql: "INSERT INTO common_words VALUES (?, ?)",
          arguments: [word, works]
        )
      }
      func telling(_ words: String...) throws -> [String] {
        try SQLiteCatalogueReader.telling(words, database)
      }
      #expect(try telling("the", "history", "of", "dune", "dune") == ["of", "dune", "history"])
      #expect(try telling("the", "river") == ["river"])
      #expect(try telling("river", "history", "dune") == ["dune", "river"])
      #expect(try telling("the") == [])
    }
  }

  @Test func `a search ranks, and one of an earlier version says that it does not`() async throws {
    let stage = try await CatalogueStage(.sqlite)
    let catalogue = try stage.open()
    var lines = (1...50).map {
      CatalogueStage.work($0, "The Love of the World and the Stars, \($0)")
    }
    lines += [CatalogueStage.work(51, "The Sellout"), CatalogueStage.work(52, "Love")]
    try await stage.importLines(lines, into: catalogue)
    let path = catalogue.place
    #expect(try Self.open(path).isRanked)
    let ranks = try await DatabaseQueue(path: path).read { database in
      try Double.fetchAll(
        database,
        sql: "SELECT rank FROM search WHERE search MATCH 'love OR sellout' ORDER BY rank LIMIT 5"
      )
    }
    #expect(ranks.first ?? 0 < ranks.last ?? 0)
    let before = try DatabaseQueue(path: path)
    try await before.write { try $0.execute(sql: "PRAGMA user_version = 3") }
    try before.close()
    #expect(try !Self.open(path).isRanked)
  }

  @Test(arguments: LibraryKind.allCases)
  func `common words are counted when a catalogue is made`(kind: LibraryKind) async throws {
    let stage = try await CatalogueStage(kind)
    let catalogue = try stage.open()
    let (files, counts) = try await stage.generate(works: 2_600)
    _ = try await CatalogueImport.run(files: files, into: catalogue)
    let found: Int
    if kind == .sqlite {
      found = try await DatabaseQueue(path: catalogue.place).read { database in
        try Int.fetchOne(database, sql: "SELECT works FROM common_words WHERE word = 'the'") ?? 0
      }
    } else {
      let pool = try stage.pool()
      defer { pool.close() }
      let rows = try await pool.query("SELECT works FROM catalogue_common_word WHERE word = 'the'")
      found = try #require(rows.first)[0]
    }
    #expect(found > CatalogueLimits.fewWorks && found <= counts["works"] ?? 0)
  }

  @Test func `compressed files are read to their ends, and broken ones are told`() async throws {
    let folder = try TestFolder()
    try await PythonProgram.run("library_dump.py", [folder.path, "20"])
    let path = folder.path + "/catalogue.sqlite"
    var compressed = Array(
      try Data(contentsOf: URL(fileURLWithPath: folder.path + "/ol_dump_works.txt.gz"))
    )
    let padded = try folder.file(
      "padded.txt.gz",
      compressed + [UInt8](repeating: 0, count: DumpReader.blockBytes + 7)
    )
    #expect(try await Self.importLines(padded, into: path).works == 20)
    let members = try folder.file("twice.txt.gz", compressed + [0, 0, 0] + compressed)
    #expect(try await Self.importLines(members, into: path).works == 40)
    let filled = try folder.file("filled.txt.gz", compressed + [0, 1])
    await #expect(throws: LibraryError.self) { try await Self.importLines(filled, into: path) }
    compressed.removeLast(20)
    let cut = try folder.file("cut.txt.gz", compressed)
    await #expect(throws: LibraryError.self) { try await Self.importLines(cut, into: path) }
    compressed[compressed.count / 2] ^= 0xFF
    compressed[compressed.count / 2 + 1] ^= 0xFF
    let broken = try folder.file("broken.txt.gz", compressed)
    await #expect(throws: LibraryError.self) { try await Self.importLines(broken, into: path) }
    #expect(try await Self.open(path).counts()?.works == 20)
  }

  @Test(arguments: [
    "/type/work\t/works/OL1W\t1\t2020", "/type/work\tOLW\t1\t2020\t{}",
    "/type/work\t/works/OL1W\t1\t2020\t[]", "/type/work\t/works/OL1W\t1\t2020\t{\"title\":",
    "/type/work\t/works/OL1W\t1\t2020\t{\"title\":7}",
  ])
  func `lines that cannot be read say why`(line: String) {
    #expect(throws: DumpLine.Fault.self) { try DumpLine.read(Array(line.utf8)) }
  }

  @Test func `fields are read in each of their shapes`() throws {
    let line = """
      /type/edition\t/books/OL7M\t1\t2020\t{"title":{"type":"/type/text","value":"A\\nB"},"works":["/works/OL3W"],\
      "isbn_10":"0441013597","publish_date":"July 16, 1987","number_of_pages":12.5,"covers":[-1,null,9],\
      "authors":[{"author":{"key":"/authors/OL5A"}},{"key":"/authors/OL6A"}],"title":"Last wins",\
      "languages":[{"key":"/languages/fre"}]}
      """
    guard case .edition(let edition) = try DumpLine.read(Array(line.utf8)) else {
      Issue.record("no edition")
      return
    }
    #expect(edition.title == "Last wins")
    #expect(edition.work == 3)
    #expect(edition.isbns == ["0441013597"])
    #expect(edition.year == 1987)
    #expect(edition.pages == nil)
    #expect(edition.cover == 9)
    #expect(edition.authors == [5, 6])
    #expect(edition.language == "fre")
  }
}
