import BookLibrary
import BookPipelines
import Books
import Foundation
import Jobs
import StrictJSON
import Testing

/// Books that are not in a catalogue which has other books of the same series: none of them may be taken.
@Suite struct WrongVolumeTests {
  /// A book that is asked for, and the one that was taken for it.
  struct Mistake: Hashable, Sendable {
    var asked: String
    var isbn: String?
    var found: String
    var author: String
  }

  /// The books of which it was found that others of their series were taken for them.
  static let named: [Mistake] = [
    Mistake(
      asked: "Saga, Volume 5",
      isbn: "9781632154385",
      found: "Saga, Volume 1",
      author: "Brian K. Vaughan"
    ),
    Mistake(asked: "Naruto 67", found: "Naruto 63", author: "Masashi Kishimoto"),
    Mistake(asked: "Preacher 1", found: "Preacher 2", author: "Garth Ennis"),
    Mistake(asked: "Transmetropolitan 1", found: "Transmetropolitan 8", author: "Warren Ellis"),
    Mistake(asked: "Maus II", found: "Maus I", author: "Art Spiegelman"),
    Mistake(
      asked: "Batman: Year One",
      found: "Batman: The Dark Knight Returns",
      author: "Frank Miller"
    ),
    Mistake(
      asked: "The Sandman: Overture",
      found: "The Sandman: Brief Lives",
      author: "Neil Gaiman"
    ),
    Mistake(asked: "Children of Time", found: "Children of Memory", author: "Adrian Tchaikovsky"),
    Mistake(asked: "Second Foundation", found: "Foundation", author: "Isaac Asimov"),
    Mistake(asked: "Endymion", found: "The Rise of Endymion", author: "Dan Simmons"),
  ]

  /// Volumes of series with names of their own, each missing between its neighbors, in every form that titles have.
  static let generated: [Mistake] = {
    let forms: [@Sendable (String, Int) -> String] = [
      { "\($0), Volume \($1)" }, { "\($0), Vol. \($1)" }, { "\($0) \($1)" },
      { "\($0) \(roman[$1])" }, { "\($0): Book \(words[$1])" }, { "\($0) #\($1)" },
      { "\($0), Part \(words[$1])" }, { "\($0), Volume \($1): \(subtitles[$1])" },
    ]
    let series = [
      "The Salt Cartographers", "Lanterns", "A Court of Moss", "Ghost Orchard", "Nine Harbors",
      "Iron Vespers", "Umbra", "The Quiet Engine",
    ]
    return zip(series, forms).enumerated().flatMap { index, pair in
      // The first, one in the middle, the last, one of two digits.
      [(1, 2), (4, 3), (9, 8), (10, 5)].map { missing, there in
        Mistake(
          asked: pair.1(pair.0, missing),
          isbn: missing == 4 ? isbn(index) : nil,
          found: pair.1(pair.0, there),
          author: "Wren \(Character(UnicodeScalar(UInt8(65 + index)))). Halloway"
        )
      }
    }
  }()

  private static let roman = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
  private static let words = [
    "", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten",
  ]
  private static let subtitles = [
    "", "Low Water", "The Ferry", "Kelp", "A Lamp for Two", "Undertow", "Chart Room", "Ebb",
    "The Long Pier", "Storm Glass", "Landfall",
  ]

  /// A valid number that no catalogue here has.
  private static func isbn(_ index: Int) -> String {
    let digits = "97800000" + String(1_000 + index)
    let sum = digits.enumerated().reduce(0) { sum, digit in
      sum + (digit.element.wholeNumberValue ?? 0) * (digit.offset % 2 == 0 ? 1 : 3)
    }
    return digits + "\((10 - sum % 10) % 10)"
  }

  /// The title of a work in a catalogue.
  enum Form: String, CaseIterable, Sendable {
    /// All of it in one member.
    case whole
    /// The part behind a colon, as its subtitle.
    case parted
  }

  /// A catalogue made of a dump with these works, each with an edition that has a number of its own.
  static func catalogue(
    _ folder: TestFolder,
    _ books: [(title: String, author: String)],
    _ form: Form
  ) async throws -> SQLiteCatalogue {
    func text(_ members: [String: JSONValue]) -> String {
      String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
    }
    func reference(_ key: String) -> JSONValue { .object(["key": .string(key)]) }
    var lines: [String] = []
    for (index, book) in books.enumerated() {
      let (author, work, edition) = (
        "/authors/OL\(index + 1)A", "/works/OL\(index + 1)W", "/books/OL\(index + 1)M"
      )
      var title: [String: JSONValue] = ["title": .string(book.title)]
      if form == .parted, let colon = book.title.range(of: ": ") {
        title = [
          "title": .string(String(book.title[..<colon.lowerBound])),
          "subtitle": .string(String(book.title[colon.upperBound...])),
        ]
      }
      let authors = JSONValue.list([.object(["author": reference(author)])])
      let named = ["key": JSONValue.string(author), "name": .string(book.author)]
      lines.append("/type/author\t\(author)\t1\t2020\t\(text(named))")
      let whole = title.merging(["key": .string(work), "authors": authors]) { $1 }
      lines.append("/type/work\t\(work)\t1\t2020\t\(text(whole))")
      let printed = title.merging([
        "key": .string(edition), "works": .list([reference(work)]),
        "isbn_13": .list([.string(isbn(500 + index))]),
      ]) { $1 }
      lines.append("/type/edition\t\(edition)\t1\t2020\t\(text(printed))")
    }
    let dump = try folder.file("dump.txt", Array((lines.joined(separator: "\n") + "\n").utf8))
    let path = folder.path + "/catalogue.sqlite"
    let catalogue = SQLiteCatalogue(path: path)
    #expect(try await CatalogueImport.run(files: [dump], into: catalogue).works == books.count)
    try catalogue.open()
    return catalogue
  }

  /// What enrichment makes of the books that are asked for.
  private func enriched(
    _ asked: [Mistake],
    from catalogue: SQLiteCatalogue
  ) async throws -> [JobItem] {
    let folder = try TestFolder()
    let books = asked.map { book in
      var members: [String: JSONValue] = [
        "title": .string(book.asked), "author": .string(book.author),
      ]
      if let isbn = book.isbn { members["isbn"] = .string(isbn) }
      return JSONValue.object(members)
    }
    let text = String(decoding: JSONValue.object(["books": .list(books)]).bytes, as: UTF8.self)
    let steps = RecordingSteps()
    let lookup = BookLookup(providers: [catalogue])
    try await BatchEnrichment(lookup: lookup)
      .run(JobWork(job: "j", inputs: [try folder.input("books.json", text)]), steps: steps)
    return steps.items
  }

  /// Asks for books from a catalogue that has only the wrong ones: each with its number, and without.
  private func expectNoWrongBook(_ mistakes: [Mistake], _ form: Form) async throws {
    let folder = try TestFolder()
    let shelf = Set(mistakes.map(\.found)).sorted().map { title in
      (title: title, author: mistakes.first { $0.found == title }?.author ?? "")
    }
    let catalogue = try await Self.catalogue(folder, shelf, form)
    for hasNumber in [true, false] {
      let asked = mistakes.enumerated().map { index, mistake in
        var mistake = mistake
        mistake.isbn = hasNumber ? mistake.isbn ?? Self.isbn(900 + index) : nil
        return mistake
      }
      let items = try await enriched(asked, from: catalogue)
      #expect(items.count == mistakes.count)
      let wrong = zip(asked, items).filter { $1["enriched"] != nil || $1.outcome == .enriched }
        .map { "\($0.asked) -> \($1["enriched"]?["title"]?.string ?? "?")" }
      #expect(wrong.isEmpty)
      for (mistake, item) in zip(asked, items) {
        let code = try #require(item.problems.first?.code)
        #expect(["match_unsure", "not_found"].contains(code), "\(mistake.asked)")
      }
    }
  }

  @Test(arguments: Form.allCases)
  func `none of thirty and more missing volumes is replaced by another one`(
    form: Form
  ) async throws {
    let mistakes = Self.named + Self.generated
    #expect(mistakes.count >= 30)
    #expect(Set(mistakes.map(\.asked)).count == mistakes.count)
    try await expectNoWrongBook(mistakes, form)
  }

  @Test(arguments: Form.allCases)
  func `where the catalogue has the book as well, it is taken and no other`(
    form: Form
  ) async throws {
    let folder = try TestFolder()
    let mistakes = Self.named + Self.generated
    let titles = Set(mistakes.flatMap { [$0.asked, $0.found] }).sorted()
    let shelf = titles.map { title in
      (title, mistakes.first { [$0.asked, $0.found].contains(title) }?.author ?? "")
    }
    let catalogue = try await Self.catalogue(folder, shelf, form)
    let items = try await enriched(
      mistakes.map { mistake in
        var mistake = mistake
        mistake.isbn = nil
        return mistake
      },
      from: catalogue
    )
    for (mistake, item) in zip(mistakes, items) {
      let book = try #require(item["enriched"], "\(mistake.asked): \(item.problems)")
      let title = [book["title"]?.string, book["subtitle"]?.string].compactMap(\.self)
      #expect(title.joined(separator: ": ") == mistake.asked)
    }
  }

  /// The mistakes as the review lists them, in the words of its page.
  ///
  /// The page is not part of the repository: it is at ../shared/research/reviews/jobs.md, or beside the folder that
  /// FRESHET_SHARED_DATA names; without it the test says so and passes.
  private static func listed() -> [Mistake]? {
    let named = ProcessInfo.processInfo.environment["FRESHET_SHARED_DATA"]
    let beside = URL(fileURLWithPath: #filePath)
      .appending(path: "../../../../../shared/data").standardizedFileURL
    let data = named.map { URL(fileURLWithPath: $0) } ?? beside
    let page = data.appending(path: "../research/reviews/jobs.md").standardizedFileURL
    guard let text = try? String(contentsOf: page, encoding: .utf8),
      let start = text.range(of: "### 1 (a)"),
      let end = text.range(of: "### 2 (a)")
    else { return nil }
    let pair = /`(?<asked>[^`]+)`(?: \+ ISBN (?<isbn>\d+))? -> `(?<found>[^`]+)`/
    return text[start.upperBound..<end.lowerBound].matches(of: pair).map { match in
      let asked = String(match.asked)
      return Mistake(
        asked: asked,
        isbn: match.isbn.map(String.init),
        found: whole(String(match.found), as: asked),
        author: "An Author"
      )
    }
  }

  /// A title of which only what differs is written: `63` behind `Naruto 67`, `Brief Lives` behind `The Sandman: Overture`.
  private static func whole(_ found: String, as asked: String) -> String {
    if found.allSatisfy(\.isNumber) {
      return asked.split(separator: " ").dropLast().joined(separator: " ") + " " + found
    }
    guard let colon = asked.range(of: ": ") else { return found }
    let main = asked[..<colon.upperBound]
    return found.hasPrefix(main) ? found : main + found
  }

  @Test func `every mistake that the review lists is mended`() async throws {
    guard let listed = Self.listed() else {
      print("../shared/research/reviews/jobs.md is not there: its list is not tried")
      return
    }
    #expect(listed.map(\.asked) == Self.named.map(\.asked))
    #expect(listed.map(\.found) == Self.named.map(\.found))
    #expect(listed.first?.isbn == Self.named.first?.isbn)
    for form in Form.allCases { try await expectNoWrongBook(listed, form) }
  }
}
