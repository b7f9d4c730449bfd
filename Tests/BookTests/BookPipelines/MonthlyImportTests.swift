import BookLibrary
import BookPipelines
import Books
import Foundation
import GRDB
import Jobs
import Synchronization
import Testing

/// A library that takes the exports of a person month after month.
@Suite struct MonthlyImportTests {
  static let header =
    "Book Id,Title,Author,ISBN13,My Rating,Bookshelves,Exclusive Shelf,My Review\n"

  /// A library and how many lists it has taken.
  final class Stage {
    let place: LibraryStage
    let library: any LibraryStore
    private var jobs = 0

    init(_ kind: LibraryKind = .sqlite) async throws {
      place = try await LibraryStage(kind)
      library = try place.open(owner: "library")
    }

    var folder: TestFolder { place.folder }

    /// Imports a list: what became of its rows, and the codes of their problems.
    @discardableResult
    func importLines(
      _ rows: String,
      header: String = MonthlyImportTests.header
    ) async throws
      -> (outcomes: [JobOutcome], problems: [String])
    {
      jobs += 1
      let input = try folder.input("list-\(jobs).csv", header + rows)
      let steps = RecordingSteps()
      try await CSVImport(library: library)
        .run(JobWork(job: "j\(jobs)", inputs: [input]), steps: steps)
      return (steps.items.map(\.outcome), steps.items.flatMap { $0.problems.map(\.code) })
    }

    func books() async throws -> [BookRecord] { try await library.books().map(\.record) }

    /// Changes a book as a person does who opens the database.
    func change(_ title: String, _ change: (inout BookRecord) -> Void) async throws {
      try await place.change(title, in: library, change)
    }
  }

  @Test(arguments: LibraryKind.allCases)
  func `an entry that gets another title and number stays one book`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await Stage(kind)
    try await stage.importLines(
      "55,Old Title,A B,,3,,read,\n7,Dune,Frank Herbert,9780441013593,4,,read,\n"
    )
    let later = try await stage.importLines(
      "55,New Better Title,A B,9780306406157,3,,read,\n7,Dune,Frank Herbert,9780441013593,4,,read,\n"
    )
    #expect(later.outcomes == [.updated, .duplicate])
    let books = try await stage.books()
    #expect(books.map(\.title) == ["New Better Title", "Dune"])
    #expect(books.map(\.entry) == ["55", "7"])
    #expect(books[0].isbn == ISBN("9780306406157"))
  }

  @Test(arguments: LibraryKind.allCases)
  func `an identifier of a plain table counts with the same author only`(
    kind: LibraryKind
  )
    async throws
  {
    let header = "Book Id,Title,Author,Shelf,Publisher,ISBN13\n"
    let stage = try await Stage(kind)
    try await stage.importLines("55,Old Title,A B,,,\n", header: header)
    let same = try await stage.importLines(
      "55,New Better Title,A B,,,9780306406157\n",
      header: header
    )
    #expect(same.outcomes == [.updated])
    let other = try await stage.importLines("55,Emma,Jane Austen,,,\n", header: header)
    #expect(other.outcomes == [.imported])
    #expect(try await stage.books().map(\.title) == ["New Better Title", "Emma"])
  }

  @Test(arguments: LibraryKind.allCases)
  func `what a service takes back is taken back, and what a person changed here stays`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await Stage(kind)
    let rest = "8,Emma,Jane Austen,,,,to-read,\n"
    try await stage.importLines("7,Dune,Frank Herbert,,4,\"sci-fi, lent\",read,Good.\n" + rest)
    try await stage.importLines("7,Dune,Frank Herbert,,0,sci-fi,read,\n" + rest)
    var dune = try await stage.books()[0]
    #expect(dune.rating == nil && dune.review == nil)
    #expect(dune.shelves == ["sci-fi"])
    // By hand: a rating, a shelf.
    try await stage.change("Dune") { book in
      book.rating = 20
      book.shelves.append("mine")
    }
    let same = try await stage.importLines("7,Dune,Frank Herbert,,0,sci-fi,read,\n" + rest)
    #expect(same.outcomes == [.duplicate, .duplicate] && same.problems.isEmpty)
    let changed = try await stage.importLines("7,Dune,Frank Herbert,,2,new,read,Better.\n" + rest)
    #expect(changed.problems == ["kept_here"])
    dune = try await stage.books()[0]
    #expect(dune.rating == 20)
    #expect(dune.review == "Better.")
    #expect(dune.shelves == ["mine", "new"])
  }

  @Test(arguments: LibraryKind.allCases)
  func `a book that is not in the list any more goes, and comes back when it is asked for`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await Stage(kind)
    let (dune, emma) = (
      "7,Dune,Frank Herbert,,4,,read,\n", "8,Emma,Jane Austen,9780141439587,,,to-read,\n"
    )
    let kindred = "9,Kindred,Octavia E. Butler,,5,,read,\n"
    try await stage.importLines(dune + emma + kindred)
    let later = try await stage.importLines(dune + kindred)
    #expect(later.outcomes == [.duplicate, .duplicate, .removed])
    #expect(later.problems == ["removed_at_source"])
    #expect(try await stage.books().map(\.title) == ["Dune", "Kindred"])
    let removed = try await stage.library.removed()
    #expect(removed.map(\.record.title) == ["Emma"])
    let back = try await stage.library.restore(try #require(removed.first).id)
    #expect(back?.record.isbn == ISBN("9780141439587"))
    #expect(try await stage.library.removed().isEmpty)
    // What a person has brought back stays.
    #expect(try await stage.importLines(dune + kindred).outcomes == [.duplicate, .duplicate])
    #expect(try await stage.library.count() == 3)
    let counts = try await stage.library.state(of: "j2").counts
    #expect(counts.removed == 1 && counts.rows == 2 && counts.isBalanced)
  }

  @Test(arguments: LibraryKind.allCases)
  func `a book stays that a person changed, another list has, or a damaged row may hide`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await Stage(kind)
    let rows = ["Dune,A", "Emma,B", "Kindred,C", "Beloved,D", "Middlemarch,E", "Piranesi,F"]
      .enumerated().map { "\($0 + 1),\($1),,3,,read,\n" }
    try await stage.importLines("Kindred,C\n", header: "Title,Author\n")
    try await stage.importLines(rows.joined())
    try await stage.importLines("Beloved,D\n", header: "Title,Author\n")
    try await stage.change("Emma") { $0.notes = "lent to Ann" }
    // A title is missing, so the book is unknown.
    let damaged = try await stage.importLines(rows[0] + rows[4] + rows[5] + "9,,X,,3,,read,\n")
    #expect(damaged.outcomes == [.duplicate, .duplicate, .duplicate, .failed])
    #expect(try await stage.library.count() == 6)
    // Half of the list: Emma was changed, Kindred was here before, Beloved is on another list.
    let whole = try await stage.importLines(rows[0] + rows[4] + rows[5])
    #expect(whole.outcomes == [.duplicate, .duplicate, .duplicate])
    #expect(try await stage.library.count() == 6)
    let less = try await stage.importLines(rows[0] + rows[4])
    #expect(less.outcomes == [.duplicate, .duplicate, .removed])
    #expect(try await stage.library.removed().map(\.record.title) == ["Piranesi"])
  }

  @Test(arguments: LibraryKind.allCases)
  func `a part of a list and the list of another person take nothing away`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await Stage(kind)
    let mine = (1...9).map { "\($0),Mine \($0),A,,3,,read,\n" }
    let theirs = (20...23).map { "\($0),Theirs \($0),B,,3,,read,\n" }
    try await stage.importLines(mine.joined())
    #expect(
      try await stage.importLines(mine[0...2].joined()).outcomes == [
        .duplicate, .duplicate, .duplicate,
      ]
    )
    try await stage.importLines(theirs.joined())
    #expect(try await stage.library.count() == 13)
    // Corrected rows are a part, however many they are.
    let corrected = try await stage.importLines(
      mine[0...7].map { "1,why," + $0 }.joined(),
      header: "Import row,Import problem," + Self.header
    )
    #expect(!corrected.outcomes.contains(.removed))
    #expect(try await stage.importLines(mine.dropLast().joined()).outcomes.last == .removed)
    #expect(try await stage.importLines(theirs.dropLast().joined()).outcomes.last == .removed)
    #expect(try await stage.library.count() == 11)
  }

  @Test(arguments: LibraryKind.allCases)
  func `an import that is killed at its end removes the same books once`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await Stage(kind)
    let rows = (1...9).map { "\($0),Book \($0),A,,3,,read,\n" }
    try await stage.importLines(rows.joined())
    let input = try stage.folder.input("later.csv", Self.header + rows.dropLast(2).joined())
    let pipeline = CSVImport(library: stage.library)
    var work = JobWork(job: "later", inputs: [input])
    let first = RecordingSteps(crashesAt: 2)
    await #expect(throws: (any Error).self) { try await pipeline.run(work, steps: first) }
    let second = RecordingSteps()
    work.checkpoint = first.state.withLock { $0.checkpoint }
    try await pipeline.run(work, steps: second)
    #expect(second.items.map(\.number) == Array(0..<9))
    #expect(second.count(.duplicate) == 7)
    #expect(second.count(.removed) == 2)
    #expect(try await stage.library.count() == 7)
  }

  @Test(arguments: LibraryKind.allCases)
  func `different books are never one without a word`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await Stage(kind)
    let header = "Title,Author,ISBN13,Rating\n"
    let first = try await stage.importLines(
      """
      Dune,Frank Herbert,9780441013593,5
      Emma,Jane Austen,9780441013593,3
      "Untitled (Throne of Glass, #8)",Sarah J. Maas,,
      "Untitled (Crescent City, #4)",Sarah J. Maas,,
      "Selected Poems (Penguin, #1)",W. H. Auden,,3
      "Selected Poems (Faber, #2)",W. H. Auden,,5
      Dune,Frank Herbert,9780441013593,1

      """,
      header: header
    )
    #expect(first.outcomes.filter { $0 == .imported }.count == 6)
    #expect(first.outcomes.last == .duplicate)
    #expect(first.problems == ["isbn_taken", "duplicate_differs"])
    let emma = try await stage.books()[1]
    #expect(emma.isbn == nil && emma.isbnText == "9780441013593")
    // In another file too.
    let second = try await stage.importLines(
      "Persuasion,Jane Austen,9780441013593,3\n",
      header: header
    )
    #expect(second.outcomes == [.imported] && second.problems == ["isbn_taken"])
    let third = try await stage.importLines(
      "\"Untitled (Court, #2)\",Sarah J. Maas,,\n",
      header: header
    )
    #expect(third.outcomes == [.imported])
    #expect(try await stage.library.count() == 8)
  }

  @Test func `a library of before knows its entries again`() async throws {
    let stage = try await Stage()
    try await stage.importLines(
      "7,Dune,Frank Herbert,,4,\"a, b\",read,\n8,Emma,Jane Austen,,,,read,\n"
    )
    let path = stage.folder.path + "/library.sqlite"
    let queue = try DatabaseQueue(path: path)
    try await queue.write {
      try $0.execute(
        sql: "DELETE FROM book_sources; DELETE FROM source_lists; PRAGMA user_version = 2;"
      )
    }
    try queue.close()
    let library = try SQLiteLibrary(path: path)
    let input = try stage.folder.input(
      "b.csv",
      Self.header
        + "7,Dune: a novel,Frank Herbert,9780441013593,4,a,read,\n8,Emma,Jane Austen,,,,read,\n"
    )
    let steps = RecordingSteps()
    try await CSVImport(library: library).run(JobWork(job: "b", inputs: [input]), steps: steps)
    #expect(steps.items.map(\.outcome) == [.updated, .duplicate])
    #expect(try await library.count() == 2)
  }
}
