import BookLibrary
import BookPipelines
import Books
import Foundation
import Jobs
import StrictJSON
import Synchronization
import Testing

@Suite struct CSVImportTests {
  struct Truth: Decodable {
    var counts: [String: Int]
    var failures: [String: String]
  }

  /// Exports of each service with damage, and what must become of them.
  static func export(
    _ service: String,
    _ rows: Int,
    _ folder: TestFolder,
    isNewer: Bool = false
  ) async throws -> (JobInput, Truth) {
    let path = folder.path + "/\(service)-\(isNewer).csv"
    let truth = path + ".json"
    try await PythonProgram.run(
      "book_exports.py",
      [service, "\(rows)", "--out", path, "--truth", truth] + (isNewer ? ["--newer"] : [])
    )
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return (
      JobInput(name: service + ".csv", mediaType: "", path: path, byteCount: data.count),
      try JSONDecoder().decode(Truth.self, from: Data(contentsOf: URL(fileURLWithPath: truth)))
    )
  }

  static func expect(_ steps: RecordingSteps, _ truth: Truth) {
    let items = steps.items
    #expect(items.map(\.number) == Array(0..<(truth.counts["rows"] ?? 0)))
    #expect(steps.count(.imported) == truth.counts["imported"])
    #expect(steps.count(.duplicate) == truth.counts["duplicates"])
    #expect(steps.count(.failed) == truth.counts["failed"])
    #expect(steps.count(.blank) == truth.counts["blank"])
    #expect(steps.count(.updated) == truth.counts["updated"])
    var failures: [String: String] = [:]
    for item in items where item.outcome == .failed {
      failures["\(item.number + 1)"] = item.problems.first?.code
    }
    let wrong = Set(failures.keys).union(truth.failures.keys)
      .filter { failures[$0] != truth.failures[$0] }
      .sorted()
    for row in wrong.prefix(5) {
      Issue.record(
        "row \(row): \(failures[row] ?? "not failed"), expected \(truth.failures[row] ?? "no failure")"
      )
    }
  }

  @Test(arguments: ["goodreads", "storygraph", "librarything", "bookwyrm"])
  func `a damaged export of every service is imported with the counts that its making says`(
    service: String
  ) async throws {
    let folder = try TestFolder()
    let (input, truth) = try await Self.export(service, 1_500, folder)
    let library = try SQLiteLibrary(path: folder.path + "/library.sqlite")
    let steps = RecordingSteps()
    try await CSVImport(library: library).run(JobWork(job: "j1", inputs: [input]), steps: steps)
    Self.expect(steps, truth)
    #expect(try await library.count() == truth.counts["imported"])
    let counts = try await library.state(of: "j1").counts
    #expect(counts.isBalanced)
    #expect(counts.rows == 1_500)
    let fractions = steps.state.withLock { $0.fractions }
    #expect(fractions.dropFirst() == fractions.dropFirst().sorted()[...])
    #expect(fractions.last == 1)
  }

  @Test(arguments: LibraryKind.allCases)
  func `a crash at any commit loses nothing and does nothing twice`(kind: LibraryKind) async throws
  {
    let stage = try await LibraryStage(kind)
    let folder = stage.folder
    let (input, truth) = try await Self.export("goodreads", 1_000, folder)
    // The check, and five batches.
    for crash in 1...6 {
      let library = try stage.open(owner: "crash\(crash)")
      let pipeline = CSVImport(library: library)
      let first = RecordingSteps(crashesAt: crash)
      var work = JobWork(job: "j1", inputs: [input])
      await #expect(throws: (any Error).self) { try await pipeline.run(work, steps: first) }
      // The second attempt knows what the first has committed, as the server's store would.
      let second = RecordingSteps()
      second.state.withLock { state in
        state.items = first.state.withLock { $0.items }
      }
      work.checkpoint = first.state.withLock { $0.checkpoint }
      work.attempt = 1
      try await pipeline.run(work, steps: second)
      Self.expect(second, truth)
      #expect(try await library.count() == truth.counts["imported"])
    }
  }

  @Test func `after stop nothing more is imported`() async throws {
    let folder = try TestFolder()
    let (input, _) = try await Self.export("goodreads", 1_000, folder)
    let library = try SQLiteLibrary(path: folder.path + "/library.sqlite")
    let steps = RecordingSteps(stopsAt: 4)
    try await CSVImport(library: library).run(JobWork(job: "j1", inputs: [input]), steps: steps)
    #expect(steps.state.withLock { $0.commits } == 4)
    #expect(steps.items.count == 3 * CSVImport.batchRows)
  }

  @Test(arguments: LibraryKind.allCases)
  func `the same file again changes nothing, a newer one what has changed`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await LibraryStage(kind)
    let folder = stage.folder
    let (input, truth) = try await Self.export("goodreads", 1_000, folder)
    let (newer, _) = try await Self.export("goodreads", 1_000, folder, isNewer: true)
    let library = try stage.open()
    let pipeline = CSVImport(library: library)
    try await pipeline.run(JobWork(job: "j1", inputs: [input]), steps: RecordingSteps())
    let again = RecordingSteps()
    try await pipeline.run(JobWork(job: "j2", inputs: [input]), steps: again)
    let known = (truth.counts["imported"] ?? 0) + (truth.counts["duplicates"] ?? 0)
    #expect(again.count(.imported) == 0)
    #expect(again.count(.updated) == 0)
    #expect(again.count(.duplicate) == known)
    let third = RecordingSteps()
    try await pipeline.run(JobWork(job: "j3", inputs: [newer]), steps: third)
    #expect(third.count(.imported) == 0)
    let updated = third.count(.updated)
    #expect(updated > 50 && updated < 110)
    #expect(third.count(.updated) + third.count(.duplicate) == known)
    #expect(try await library.count() == truth.counts["imported"])
  }

  @Test func `the failed rows can be corrected and imported again`() async throws {
    let folder = try TestFolder()
    let text = #"""
      Book Id,Title,Author,ISBN13,My Rating,Exclusive Shelf
      1,Dune,Frank Herbert,"=""9780441013594""",5,read
      2,Kindred,Octavia E. Butler,"=""9780807083697""",4,read
      3,,Nobody,,3,read

      """#
    let library = try SQLiteLibrary(path: folder.path + "/library.sqlite")
    let pipeline = CSVImport(library: library)
    let work = JobWork(job: "j1", inputs: [try folder.input("a.csv", text)])
    let steps = RecordingSteps()
    try await pipeline.run(work, steps: steps)
    // A title is a book, whatever its number.
    #expect(steps.items.map(\.outcome) == [.imported, .imported, .failed])
    #expect(steps.items[0].problems[0].field == "ISBN13")
    #expect(steps.items[0].problems[0].proposal == "9780441013593")
    let failed = steps.items.filter { $0.outcome == .failed }
    let table = try #require(await pipeline.failedRows(work, failed: failed))
    let corrected = String(decoding: table, as: UTF8.self)
      .replacing(",3,,Nobody", with: ",3,Emma,Jane Austen")
    let again = RecordingSteps()
    try await pipeline.run(
      JobWork(job: "j2", inputs: [try folder.input("b.csv", corrected)]),
      steps: again
    )
    #expect(again.items.map(\.outcome) == [.imported])
    #expect(try await library.count() == 3)
  }

  @Test(arguments: [
    ("", "file_empty"), ("foo,bar\n1,2\n", "header_unknown"), ("Title\n", "rows_missing"),
    ("PK\u{3}\u{4}", "file_not_text"),
    (String(repeating: "Title\n", count: 10_002), "rows_too_many"),
  ])
  func `a file that cannot be imported fails the job and changes nothing`(
    text: String,
    code: String
  ) async throws {
    let folder = try TestFolder()
    let library = try SQLiteLibrary(path: folder.path + "/library.sqlite")
    let work = JobWork(job: "j1", inputs: [try folder.input("a.csv", text)])
    let failure = await #expect(throws: JobFailure.self) {
      try await CSVImport(library: library).run(work, steps: RecordingSteps())
    }
    #expect(failure?.code == code)
    #expect(failure?.isRetryable == false)
    #expect(try await library.count() == 0)
  }

  @Test func `a column can be named by an option`() async throws {
    let folder = try TestFolder()
    let library = try SQLiteLibrary(path: folder.path + "/library.sqlite")
    let input = try folder.input("a.csv", "Buch;Verfasser\nDer Prozess;Franz Kafka\n")
    let steps = RecordingSteps()
    try await CSVImport(library: library).run(
      JobWork(
        job: "j1",
        inputs: [input],
        options: ["column.title": "Buch", "column.author": "Verfasser"]
      ),
      steps: steps
    )
    #expect(steps.items[0]["author"]?.string == "Franz Kafka")
    let failure = await #expect(throws: JobFailure.self) {
      try await CSVImport(library: library).run(
        JobWork(job: "j2", inputs: [input], options: ["column.titel": "Buch"]),
        steps: RecordingSteps()
      )
    }
    #expect(failure?.code == "option_unknown")
  }
}
