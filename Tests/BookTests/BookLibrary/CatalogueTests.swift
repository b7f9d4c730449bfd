import Books
import Foundation
import GRDB
import Testing

@testable import BookLibrary

@Suite struct CatalogueTests {
  /// A catalogue of generated dumps, and what the generator counted.
  static func catalogue(
    _ folder: TestFolder,
    works: Int = 800,
    isPlain: Bool = false
  ) async throws -> (SQLiteCatalogue, CatalogueImport.Report, [String: Int]) {
    let arguments = [folder.path, "\(works)"] + (isPlain ? ["--plain"] : [])
    let printed = try await PythonProgram.run("library_dump.py", arguments)
    let counts = try JSONDecoder().decode([String: Int].self, from: Data(printed.utf8))
    let end = isPlain ? "txt" : "txt.gz"
    // The order of the files does not matter.
    let files = ["editions", "works", "authors"].map { folder.path + "/ol_dump_\($0).\(end)" }
    let catalogue = SQLiteCatalogue(path: folder.path + "/catalogue.sqlite")
    let report = try await CatalogueImport.run(files: files, into: catalogue)
    try catalogue.open()
    return (catalogue, report, counts)
  }

  /// Imports dumps into a file.
  @discardableResult
  static func take(_ files: String..., into path: String) async throws -> CatalogueImport.Report {
    try await CatalogueImport.run(files: files, into: SQLiteCatalogue(path: path))
  }

  /// The catalogue in a file.
  static func open(_ path: String) throws -> SQLiteCatalogue {
    let catalogue = SQLiteCatalogue(path: path)
    try catalogue.open()
    return catalogue
  }

  @Test(arguments: [true, false])
  func `dumps are read whole, plain and compressed`(isPlain: Bool) async throws {
    let folder = try TestFolder()
    let (catalogue, report, counts) = try await Self.catalogue(folder, isPlain: isPlain)
    #expect(report.works == counts["works"])
    #expect(report.authors == counts["authors"])
    #expect(report.editions == counts["editions"])
    #expect(report.isbns == counts["isbns"])
    #expect(report.brokenISBNs == counts["broken"])
    #expect(report.others == counts["others"])
    #expect(report.rejected == counts["rejected"])
    let stored = try #require(try await catalogue.counts())
    #expect(stored.works == counts["works"])
    #expect(stored.editions == counts["editions"])
  }

  @Test func `a number finds its edition with its work and authors`() async throws {
    let folder = try TestFolder()
    let (catalogue, _, _) = try await Self.catalogue(folder)
    let isbn = try #require(ISBN("9780441478125"))
    let book = try #require(await catalogue.book(isbn: isbn))
    #expect(book.title == "The Left Hand of Darkness")
    #expect(book.authors == ["Ursula K. Le Guin"])
    #expect(book.firstYear == 1969)
    #expect(book.isbn == isbn)
    #expect(book.work == "OL3W")
    #expect(book.edition == "OL3M")
    #expect(try await catalogue.book(isbn: #require(ISBN("9780374538651"))) == nil)
  }

  @Test func `titles in every script are found, composed and decomposed`() async throws {
    let folder = try TestFolder()
    let titles = ["कुल", "कूल", "ปลา", "ปล่า", "Бедный Йорик", "Οδύσσεια", "がくせい", "한국의 역사"]
    let lines = titles.enumerated().map { number, title in
      let key = "/works/OL\(number + 1)W"
      return "/type/work\t\(key)\t1\t2020\t{\"key\":\"\(key)\",\"title\":\"\(title)\"}\n"
    }
    let file = folder.path + "/works.txt"
    try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: file))
    let path = folder.path + "/catalogue.sqlite"
    try await Self.take(file, into: path)
    let catalogue = try Self.open(path)
    for title in titles {
      let composed = title.precomposedStringWithCanonicalMapping
      for form in [composed, title.decomposedStringWithCanonicalMapping] {
        let books = try await catalogue.candidates(title: form, author: nil, limit: 5)
        #expect(books.first?.title == title)
        let words = try await catalogue.candidates(words: form, limit: 5)
        #expect(words.first?.title == title)
      }
    }
  }

  @Test func `titles and authors are found, misspelt ones too, and wrong ones are not taken`()
    async throws
  {
    let folder = try TestFolder()
    let (catalogue, _, _) = try await Self.catalogue(folder)
    let lookup = BookLookup(providers: [catalogue])
    func answer(_ title: String, _ author: String?) async throws -> String {
      switch try await lookup.find(BookLookup.Question(title: title, author: author)) {
      case .found(let match): match.book.title
      case .unsure(let match): "unsure " + match.book.title
      case .notFound: "not found"
      case .failed(let error): "\(error)"
      }
    }
    #expect(try await answer("Dune", "Frank Herbert") == "Dune")
    #expect(try await answer("DUNE MESSIAH", "Herbert, Frank") == "Dune Messiah")
    #expect(try await answer("Les miserables", "V. Hugo") == "Les Misérables")
    #expect(
      try await answer("The Dispossessed: An Ambiguous Utopia", "Le Guin") == "The Dispossessed"
    )
    #expect(
      try await answer("Left Hand of Darknes", "Ursula Le Guin") == "The Left Hand of Darkness"
    )
    #expect(try await answer("Dune", nil) == "unsure Dune")
    #expect(try await answer("Dune", "Jane Austen") != "Dune")
    #expect(try await answer("A Book That Nobody Wrote", "Nobody") == "not found")
    #expect(try await answer("\" OR 1=1 NEAR(\" -*", nil) == "not found")
    #expect(try await answer("!!!", "?") == "not found")
  }

  @Test func `a work is completed from its first edition that has a number`() async throws {
    let folder = try TestFolder()
    let lines = [
      #"/type/work\t/works/OL1W\t1\t2020\t{"key": "/works/OL1W", "title": "Dune"}"#,
      #"/type/edition\t/books/OL1M\t1\t2020\t{"key": "/books/OL1M", "title": "Dune", "publish_date": "1965", "works": [{"key": "/works/OL1W"}]}"#,
      #"/type/edition\t/books/OL2M\t1\t2020\t{"key": "/books/OL2M", "title": "Dune", "publish_date": "1999", "isbn_13": ["9780441013593"], "works": [{"key": "/works/OL1W"}]}"#,
    ].joined(separator: "\n")
    let dump = try folder.file("dump.txt", Array(lines.replacing("\\t", with: "\t").utf8))
    let path = folder.path + "/catalogue.sqlite"
    #expect(try await Self.take(dump, into: path).editions == 2)
    let found = try await Self.open(path).candidates(title: "Dune", author: nil, limit: 5)
    #expect(found.map(\.edition) == ["OL2M"])
    #expect(found.first?.isbn == ISBN("9780441013593"))
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

  @Test func `a book is found behind any number of works with its common words`() async throws {
    let folder = try TestFolder()
    var lines: [String] = []
    func work(_ title: String, author: Int? = nil) {
      let number = lines.count + 1
      let authors =
        author.map { ",\"authors\":[{\"author\":{\"key\":\"/authors/OL\($0)A\"}}]" } ?? ""
      lines.append(
        "/type/work\t/works/OL\(number)W\t1\t2020\t{\"title\":\"\(title)\"\(authors)}"
      )
    }
    for number in 0..<(3 * CatalogueLimits.mostWorks) {
      work("The \(["Love", "Letters", "Paul"][number % 3]) of the World and the Stars, \(number)")
    }
    work("The Sellout", author: 1)
    work("Love", author: 2)
    lines.append("/type/author\t/authors/OL1A\t1\t2020\t{\"name\":\"Paul Beatty\"}")
    lines.append("/type/author\t/authors/OL2A\t1\t2020\t{\"name\":\"Toni Morrison\"}")
    let dump = try folder.file("dump.txt", Array((lines.joined(separator: "\n") + "\n").utf8))
    let path = folder.path + "/catalogue.sqlite"
    try await Self.take(dump, into: path)
    let catalogue = try Self.open(path)
    #expect(catalogue.isRanked)
    let spine = try await catalogue.candidates(words: "PAUL BEATTY THE SELLOUT PICADOR", limit: 5)
    #expect(spine.first?.title == "The Sellout")
    // The short title is nearer than long ones with the same word.
    let love = try await catalogue.candidates(title: "Love", author: nil, limit: 1)
    #expect(love.map(\.title) == ["Love"])
    let ranks = try await DatabaseQueue(path: path).read { database in
      try Double.fetchAll(
        database,
        sql: "SELECT rank FROM search WHERE search MATCH 'love OR sellout' ORDER BY rank LIMIT 5"
      )
    }
    #expect(ranks.first ?? 0 < ranks.last ?? 0)
    // One of before still serves, and says that it does not rank.
    let before = try DatabaseQueue(path: path)
    try await before.write { try $0.execute(sql: "PRAGMA user_version = 3") }
    try before.close()
    #expect(try !Self.open(path).isRanked)
  }

  @Test func `common words are counted when a catalogue is made`() async throws {
    let folder = try TestFolder()
    let (_, _, counts) = try await Self.catalogue(folder, works: 2_600)
    let database = try DatabaseQueue(path: folder.path + "/catalogue.sqlite")
    let found = try await database.read { database in
      try Int.fetchOne(database, sql: "SELECT works FROM common_words WHERE word = 'the'") ?? 0
    }
    #expect(found > CatalogueLimits.fewWorks && found <= counts["works"] ?? 0)
  }

  @Test func `a number decides, and another title is said`() async throws {
    let folder = try TestFolder()
    let (catalogue, _, _) = try await Self.catalogue(folder, works: 20)
    let lookup = BookLookup(providers: [catalogue])
    let isbn = try #require(ISBN("9780441013593"))
    let same = try await lookup.find(BookLookup.Question(title: "Dune", isbn: isbn))
    let other = try await lookup.find(BookLookup.Question(title: "Middlemarch", isbn: isbn))
    guard case .found(let first) = same, case .found(let second) = other else {
      Issue.record("not found")
      return
    }
    #expect(first.confidence == 1 && !first.titleDiffers)
    #expect(second.book.title == "Dune" && second.titleDiffers)
  }

  @Test func `spines are matched by their words in any order`() async throws {
    let folder = try TestFolder()
    let (catalogue, _, _) = try await Self.catalogue(folder)
    let lookup = BookLookup(providers: [catalogue])
    func found(_ words: String) async throws -> String? {
      if case .found(let match) = try await lookup.find(spine: words) {
        match.book.title
      } else {
        nil
      }
    }
    #expect(try await found("FRANK HERBERT DUNE") == "Dune")
    #expect(try await found("HERBERT DUNE MESSIAH ACE") == "Dune Messiah")
    #expect(
      try await found("THE LEFT HAND OF DARKNESS URSULA K LE GUIN") == "The Left Hand of Darkness"
    )
    #expect(try await found("NEUROMANCER W1LLIAM GIBSON") == "Neuromancer")
    #expect(try await found("KINDRED") == nil)
    #expect(try await found("zzzz yyyy") == nil)
    #expect(try await found("") == nil)
  }

  @Test func `an import that fails leaves the catalogue that was there`() async throws {
    let folder = try TestFolder()
    _ = try await Self.catalogue(folder, works: 20)
    let path = folder.path + "/catalogue.sqlite"
    var compressed = Array(
      try Data(contentsOf: URL(fileURLWithPath: folder.path + "/ol_dump_works.txt.gz"))
    )
    let padded = try folder.file(
      "padded.txt.gz",
      compressed + [UInt8](repeating: 0, count: DumpReader.blockBytes + 7)
    )
    let beside = folder.path + "/padded.sqlite"
    #expect(try await Self.take(padded, into: beside).works == 20)
    let twice = compressed + [0, 0, 0] + compressed
    let members = try folder.file("twice.txt.gz", twice)
    #expect(try await Self.take(members, into: beside).works == 40)
    let filled = try folder.file("filled.txt.gz", compressed + [0, 1])
    await #expect(throws: LibraryError.self) { try await Self.take(filled, into: beside) }
    compressed.removeLast(20)
    let cut = try folder.file("cut.txt.gz", compressed)
    let early = await #expect(throws: LibraryError.self) { try await Self.take(cut, into: path) }
    #expect(early?.code == .unreadableDump)
    compressed[compressed.count / 2] ^= 0xFF
    compressed[compressed.count / 2 + 1] ^= 0xFF
    let broken = try folder.file("broken.txt.gz", compressed)
    await #expect(throws: LibraryError.self) { try await Self.take(broken, into: path) }
    await #expect(throws: LibraryError.self) {
      try await Self.take(folder.path + "/none", into: path)
    }
    for end in [".partial", ".lock"] {
      #expect(!FileManager.default.fileExists(atPath: path + end))
    }
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
