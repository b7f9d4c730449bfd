import BookPipelines
import BookScan
import Books
import Foundation
import Jobs
import JobsServer
import PostgresClient
import StrictJSON
import Synchronization
import Testing

@testable import BookLibrary

// What jobs do while the database of their catalogue is away, and while it is slow.
@Suite struct `Jobs whose catalogue is away` {
  /// A catalogue that answers one question with trouble.
  private static func lookup(_ question: String, _ trouble: ProviderError) -> BookLookup {
    BookLookup(providers: [
      ShelfOfBooks(EnrichmentTests.shelf, troubles: [question: trouble])
    ])
  }

  private static let whole = BookLookup(providers: [ShelfOfBooks(EnrichmentTests.shelf)])

  private static var outage: ProviderError {
    PostgresCatalogue.failure(PostgresError(.connectionLost, "the server went away"))
  }

  private static let slow = PostgresCatalogue.failure(PostgresError(.timedOut, "too long"))

  private static func scan(_ folder: TestFolder) throws -> (TellingReader, JobWork) {
    let reader = TellingReader(sightings: [
      100: [Sighting(.isbn, isbn: ScanTests.dune, confidence: 1)],
      101: [
        Sighting(.title, title: "Kindred", author: "Octavia E. Butler", confidence: 0.9),
        Sighting(.text, title: "EMMA JANE AUSTEN", confidence: 0.5),
      ],
    ])
    return (reader, try ScanTests.work(folder, [100, 101]))
  }

  private static func list(_ folder: TestFolder) throws -> JobWork {
    let titles = (0..<9).map { "Book \($0)" } + ["Emma"]
    let books = titles.map { "{\"title\":\"\($0)\",\"author\":\"Jane Austen\"}" }
    return try EnrichmentTests.work(folder, "{\"books\":[\(books.joined(separator: ","))]}")
  }

  /// Runs a job until its catalogue is away, and what is left of it once that is back.
  private static func interrupted(
    _ work: JobWork,
    _ away: any JobPipeline,
    _ back: any JobPipeline
  ) async throws -> [JobItem] {
    let first = RecordingSteps()
    let error = await #expect(throws: PostgresError.self) { try await away.run(work, steps: first) }
    #expect(error?.isTransient == true)
    #expect(first.items.allSatisfy { $0.problems.allSatisfy { $0.code != "provider_unavailable" } })
    var rest = work
    rest.checkpoint = first.state.withLock { $0.checkpoint }
    let second = RecordingSteps()
    second.state.withLock { state in state.items = first.state.withLock { $0.items } }
    try await back.run(rest, steps: second)
    return second.items
  }

  @Test(arguments: ["EMMA JANE AUSTEN", "Kindred", "9780441013593"])
  func `a scan that loses the database finds the same books once it is back`(
    question: String
  ) async throws {
    let folder = try TestFolder()
    let (reader, work) = try Self.scan(folder)
    let back = AIScan(provider: reader, lookup: Self.whole)
    let steps = RecordingSteps()
    try await back.run(work, steps: steps)
    #expect(steps.items.map { $0["title"]?.string } == ["Dune", "Kindred", "Emma"])
    let away = AIScan(provider: reader, lookup: Self.lookup(question, Self.outage))
    #expect(try await Self.interrupted(work, away, back) == steps.items)
  }

  @Test(arguments: ["Book 0", "Book 6", "Emma"])
  func `a list that loses the database ends the same once it is back`(
    question: String
  ) async throws {
    let folder = try TestFolder()
    let work = try Self.list(folder)
    let back = BatchEnrichment(lookup: Self.whole)
    let steps = RecordingSteps()
    try await back.run(work, steps: steps)
    #expect(steps.count(.failed) == 9 && steps.count(.enriched) == 1)
    let away = BatchEnrichment(lookup: Self.lookup(question, Self.outage))
    #expect(try await Self.interrupted(work, away, back) == steps.items)
  }

  @Test(arguments: [slow, ProviderError(.busy, "busy"), ProviderError(.unavailable, "away")])
  func `a scan is tried again while a catalogue may answer soon`(
    trouble: ProviderError
  ) async throws {
    let folder = try TestFolder()
    var (reader, work) = try Self.scan(folder)
    let pipeline = AIScan(provider: reader, lookup: Self.lookup("Kindred", trouble))
    work.attemptsLeft = 1
    let steps = RecordingSteps()
    let failure = await #expect(throws: JobFailure.self) {
      try await pipeline.run(work, steps: steps)
    }
    #expect(failure?.code == trouble.code.rawValue)
    #expect(failure?.isRetryable == true)
    // The photo before is done.
    #expect(steps.items.map { $0["title"]?.string } == ["Dune"])
    // The last attempt says what it does not know, and goes on.
    (work.attemptsLeft, work.checkpoint) = (0, steps.state.withLock { $0.checkpoint })
    let last = RecordingSteps()
    try await pipeline.run(work, steps: last)
    #expect(last.items.map { $0["title"]?.string } == ["Kindred", "Emma"])
    #expect(last.items[0].problems.map(\.code) == [trouble.code.rawValue])
    #expect(last.items[1].problems.isEmpty)
  }

  @Test func `an absent database gives no answer, and one that is wrong or slow does`() async throws
  {
    let address = try PostgresAddress("postgres://nobody@/none?host=/nonexistent")
    let pool = PostgresSchema.jobs().pool(address, limits: LibraryStage.limits)
    defer { pool.close() }
    let lookup = BookLookup(providers: [PostgresCatalogue(pool)])
    let error = await #expect(throws: PostgresError.self) {
      try await lookup.find(BookLookup.Question(title: "Dune"))
    }
    #expect(error?.kind == .unreachable)
    await #expect(throws: PostgresError.self) { try await lookup.find(spine: "Dune") }

    let stage = try await CatalogueStage(.postgres)
    let catalogue = try stage.open()
    let owner = try await PostgresConnection.open(stage.stage.address, limits: LibraryStage.limits)
    try await owner.query("DROP TABLE \(stage.stage.schema).catalogue")
    await owner.close()
    let answer = try await BookLookup(providers: [catalogue]).find(spine: "Dune")
    guard case .failed(let failure) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(failure.code == .unavailable && failure.outage == nil)
    for (kind, state) in [
      (PostgresError.Kind.timedOut, ""), (.crowded, ""), (.server, "57014"), (.server, "53100"),
    ] {
      #expect(PostgresCatalogue.failure(PostgresError(kind, "x", sqlState: state)).outage == nil)
    }
    for state in ["57P01", "53300", "08006"] {
      let error = PostgresError(.server, "x", sqlState: state)
      #expect(PostgresCatalogue.failure(error).outage == error)
    }
  }
}
