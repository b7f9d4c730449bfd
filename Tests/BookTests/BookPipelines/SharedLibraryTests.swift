import BookPipelines
import Foundation
import Hashing
import Jobs
import PostgresClient
import Serving
import Synchronization
import Testing

@testable import BookLibrary
@testable import Books
@testable import JobsServer

/// Imports that change one library in turns or at once.
@Suite struct SharedLibraryTests {
  @Test func `the same batches in the same order make the same library in both databases`()
    async throws
  {
    let stages = [try await LibraryStage(.sqlite), try await LibraryStage(.postgres)]
    let folder = stages[0].folder
    var inputs: [JobInput] = []
    for (service, isNewer) in [
      ("goodreads", false), ("librarything", false), ("storygraph", false), ("goodreads", true),
    ] {
      inputs.append(try await CSVImportTests.export(service, 450, folder, isNewer: isNewer).0)
    }
    // The newest export has lost most of its end, so that books go.
    let shorter = try Self.beginning(of: inputs[3], rows: 320, folder)
    inputs.append(shorter)
    for seed in UInt64(1)...2 {
      var contents: [LibraryContents] = []
      for stage in stages {
        let library = try stage.open(owner: "seed\(seed)")
        var random = SplitMix64(seed: seed)
        let turns = try await Self.interleave(inputs, into: library, &random)
        #expect(turns > inputs.count * 3)
        contents.append(try await LibraryContents(library))
        if let library = library as? PostgresLibrary {
          // The contents of all owners were read.
          try await library.pool.query("DELETE FROM library")
        }
      }
      #expect(contents[0].books.count > 500 && contents[0].sources.count > 500)
      #expect(contents[0].books == contents[1].books)
      #expect(contents[0].sources == contents[1].sources)
      #expect(contents[0].lists == contents[1].lists)
      #expect(contents[0] == contents[1])
    }
  }

  /// Runs imports batch by batch, in random order.
  ///
  /// - Returns: The number of turns.
  private static func interleave(
    _ inputs: [JobInput],
    into library: any LibraryStore,
    _ random: inout SplitMix64
  ) async throws -> Int {
    let imports = inputs.enumerated().map { number, input in
      TurnTaking { steps in
        let work = JobWork(job: "job\(number)", inputs: [input])
        try await CSVImport(library: library).run(work, steps: steps)
      }
    }
    var open = Array(imports.indices)
    var turns = 0
    while let next = open.randomElement(using: &random) {
      turns += 1
      if try await !imports[next].turn() { open.removeAll { $0 == next } }
    }
    return turns
  }

  private static func beginning(
    of input: JobInput,
    rows: Int,
    _ folder: TestFolder
  ) throws -> JobInput {
    let text = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: input.path)),
      as: UTF8.self
    )
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return try folder.input("shorter.csv", lines.prefix(rows).joined(separator: "\n") + "\n")
  }

  @Test func `imports of several servers at once lose nothing`() async throws {
    let stage = try await LibraryStage(.postgres)
    let header = "Book Id,Title,Author,ISBN13,My Rating,Bookshelves,Exclusive Shelf,My Review\n"
    // A third of the books of each file are in the next one too; with a half it would be the same list.
    let inputs = try (0..<4).map { file in
      let rows = (0..<600).map { row in
        let number = file * 400 + row
        return "\(number),Book \(number),Author \(number % 7),,\(number % 5),s\(file),read,\n"
      }
      return try stage.folder.input("file\(file).csv", header + rows.joined())
    }
    let library = try stage.open()
    try await withThrowingTaskGroup(of: RecordingSteps.self) { group in
      for (number, input) in inputs.enumerated() {
        let other = try stage.open()
        group.addTask {
          let steps = RecordingSteps()
          let work = JobWork(job: "job\(number)", inputs: [input])
          try await CSVImport(library: other).run(work, steps: steps)
          return steps
        }
      }
      var imported = 0
      for try await steps in group {
        #expect(steps.items.count { $0.outcome != .removed } == 600)
        imported += steps.count(.imported)
      }
      // Each book is made once.
      #expect(imported == 1_800)
    }
    let titles = try await LibraryContents(library).books.map(\.title)
    let wrong = Set(titles).symmetricDifference((0..<1_800).map { "Book \($0)" })
    #expect(wrong.isEmpty && titles.count == 1_800)
    for job in 0..<4 {
      let state = try await library.state(of: "job\(job)")
      #expect(state.isFinished && state.counts.isBalanced && state.counts.rows == 600)
    }
  }

  @Test func `an import goes on at another server, and the first one writes nothing any more`()
    async throws
  {
    let stage = try await LibraryStage(.postgres)
    let (first, second) = (try jobs(stage), try jobs(stage))
    let (input, truth) = try await CSVImportTests.export("goodreads", 1_000, stage.folder)
    let content = try Data(contentsOf: URL(fileURLWithPath: input.path))
    guard
      case .job(let job, _, _) = try await first.start(
        .csvImport,
        inputs: [("a.csv", "text/csv", Array(content))],
        options: [:],
        key: nil
      ), let old = try await first.claim(job.id)
    else {
      Issue.record("not started")
      return
    }
    // The first server stops after it has brought two batches into the library, before it says so.
    let zombie = TurnTaking { steps in
      var work = try await first.work(job)
      work.fence = old.fence
      try await CSVImport(library: first.library).run(work, steps: steps)
    }
    for _ in 0..<4 { _ = try await zombie.turn() }
    let before = try await second.library.state(of: job.id)
    #expect(before.rowsDone == 3 * CSVImport.batchRows)
    try await second.pool.query("UPDATE job SET lease_until = now()")
    let new = try #require(try await second.claim(job.id))
    // It goes on, and is refused.
    let fault = await #expect(throws: JobStoreError.self) { while try await zombie.turn() {} }
    guard case .fenced = fault else {
      Issue.record("\(fault.map { "\($0)" } ?? "no fault")")
      return
    }
    #expect(try await second.library.state(of: job.id) == before)
    let steps = RecordingSteps()
    var work = try await second.work(job)
    work.fence = new.fence
    try await CSVImport(library: second.library).run(work, steps: steps)
    CSVImportTests.expect(steps, truth)
    #expect(try await second.library.count() == truth.counts["imported"])
    for store in [first, second] { await store.close() }
  }

  @Test func `a lease does not change hands while its worker writes books`() async throws {
    let stage = try await LibraryStage(.postgres)
    let (first, second) = (try jobs(stage), try jobs(stage))
    let start = try await first.start(.csvImport, inputs: [], options: [:], key: nil)
    guard case .job(let job, _, _) = start, let lease = try await first.claim(job.id) else {
      Issue.record("not started")
      return
    }
    try await second.pool.query("UPDATE job SET lease_until = now()")
    var file = `Every library`.file(job.id)
    file.fence = lease.fence
    try await first.pool.transaction { connection in
      try await first.library.checkLease(of: file, connection)
      // Workers that look for jobs pass over it.
      #expect(try await second.claimNext(most: 9).isEmpty)
    }
    #expect(try await second.claimNext(most: 9).map(\.job) == [job.id])
    for store in [first, second] { await store.close() }
  }

  @Test func `stores of other owners have none of these jobs, nor servers of the version before`()
    async throws
  {
    let stage = try await LibraryStage(.postgres)
    let (usual, other) = (try jobs(stage), try jobs(stage, owner: "ann"))
    let mate = try jobs(stage, owner: "ann")
    let later = JobSchedule(runAt: other.now + 3_600_000)
    var started: [(job: JobRow, token: String)] = []
    for (store, schedule) in [(usual, JobSchedule()), (other, JobSchedule()), (other, later)] {
      // The same key means another job in each library.
      let key = schedule == later ? nil : "once"
      let start = try await store.start(
        .csvImport,
        inputs: [],
        options: [:],
        key: key,
        id: nil,
        schedule: schedule
      )
      guard case .job(let job, let token, true) = start else {
        Issue.record("not started: \(start)")
        return
      }
      started.append((job, token))
    }
    #expect(try await usual.openJobs().map(\.id) == [started[0].job.id])
    #expect(try await Set(mate.openJobs().map(\.id)) == Set(started[1...].map(\.job.id)))
    #expect(try await usual.counts() == ["queued": 1])
    #expect(try await usual.job(started[1].job.id) == nil)
    #expect(try await !usual.exists(started[1].job.id))
    #expect(try await usual.cancel(started[1].job.id) == nil)
    guard case .refused = try await usual.access(started[1].job.id, token: started[1].token),
      case .open = try await mate.access(started[1].job.id, token: started[1].token)
    else {
      Issue.record("the token opens the job elsewhere, or not here")
      return
    }
    // What servers of the version before look for, also after a lease has ended without a word.
    let free = """
      SELECT id FROM job WHERE state IN ('queued', 'running', 'canceling')
        AND (owner IN (0, -1) OR lease_until <= clock_timestamp())
      """
    func ofBefore() async throws -> [String] { try await usual.pool.query(free).map { try $0[0] } }
    #expect(try await ofBefore() == [started[0].job.id])
    let lease = try #require(try await mate.claimNext(most: 9).first)
    #expect(lease.job == started[1].job.id)
    #expect(try await ofBefore() == [started[0].job.id])
    try await other.pool.query(
      "UPDATE job SET other_lease_until = clock_timestamp() - interval '1 s' WHERE id = $1",
      [.text(lease.job)]
    )
    #expect(try await ofBefore() == [started[0].job.id])
    // Another server of the owner takes it over, tries again later, and lets it rest.
    let second = try #require(try await other.claimNext(most: 9).first)
    #expect(second.job == lease.job && second.fence > lease.fence)
    #expect(try await mate.renew([lease]).isEmpty)
    _ = try #require(try await other.begin(second, phases: []))
    let failure = JobFailure(code: "down", message: "down", isRetryable: true)
    #expect(try await other.fail(second, failure, sample: 0)?.0.state == .queued)
    #expect(try await ofBefore() == [started[0].job.id])
    #expect(try await usual.claimNext(most: 9).map(\.job) == [started[0].job.id])
    for store in [usual, other, mate] { await store.close() }
  }

  private func jobs(
    _ stage: LibraryStage,
    owner: String = LibraryOwner.usual.name
  ) throws -> PostgresJobStore {
    try PostgresJobStore(
      try stage.address,
      folder: stage.folder.path + "/\(UUID())",
      libraryOwner: try LibraryOwner(owner),
      clientLimits: LibraryStage.limits,
      clock: ServiceClock(),
      schema: stage.schema
    )
  }
}

/// Work that goes on one step at a time.
private final class TurnTaking: JobSteps {
  private let (states, report) = AsyncThrowingStream<Bool, any Error>.makeStream()
  private let (turns, go) = AsyncStream<Void>.makeStream()
  private let work: @Sendable (any JobSteps) async throws -> Void
  private let hasBegun = Atomic(false)

  init(_ work: @escaping @Sendable (any JobSteps) async throws -> Void) { self.work = work }

  /// Lets it go on to its next commit.
  ///
  /// - Returns: Whether there is more to do.
  /// - Throws: What the work throws.
  func turn() async throws -> Bool {
    if hasBegun.exchange(true, ordering: .relaxed) {
      go.yield()
    } else {
      Task {
        do {
          try await work(self)
          report.yield(false)
        } catch {
          report.finish(throwing: error)
        }
      }
    }
    for try await isOpen in states { return isOpen }
    return false
  }

  func commit(_ step: JobStep) async throws -> JobDirective {
    report.yield(true)
    for await _ in turns { return .proceed }
    return .stop
  }
}
