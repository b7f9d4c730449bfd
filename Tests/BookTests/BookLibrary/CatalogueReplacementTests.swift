import Foundation
import PostgresClient
import PostgresCluster
import Synchronization
import Testing

@testable import BookLibrary
@testable import Books

// How every catalogue is replaced, whichever database keeps it.
@Suite struct `Every replaced catalogue` {
  private static let isbn = "9780441013593"

  /// Works whose titles name their generation, one of them with an edition that has the number.
  private static func lines(_ generation: String, works: Int = 60) -> [String] {
    (1...works).map { CatalogueStage.work($0, "Shelf \(generation) \($0)") }
      + [CatalogueStage.edition(1, of: 1, "Shelf \(generation)", isbn: isbn)]
  }

  /// What a process reads at once: the second words of the titles.
  private static func generations(
    _ catalogue: any CatalogueStore,
    limit: Int = 20
  ) async throws -> [String] {
    try await catalogue.candidates(title: "Shelf", author: nil, limit: limit).map {
      String($0.title.split(separator: " ")[1])
    }
  }

  private static func generation(of catalogue: any CatalogueStore) async throws -> String? {
    try await catalogue.book(isbn: #require(ISBN(isbn))).map {
      String($0.title.split(separator: " ")[1])
    }
  }

  @Test(arguments: LibraryKind.allCases)
  func `servers read the catalogue before or the one after, and never a part`(
    kind: LibraryKind
  ) async throws {
    let stage = try await CatalogueStage(kind)
    let writer = try stage.open()
    try await stage.importLines(Self.lines("even"), into: writer)
    let watch = Watch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        let reader = try stage.open()
        group.addTask {
          repeat {
            reader.renew()
            let found = try await Self.generations(reader)
            #expect(found.count == 20)
            #expect(Set(found).count == 1)
            let named = try await Self.generation(of: reader)
            #expect(["even", "odd"].contains(named))
          } while !watch.isOver.load(ordering: .relaxed)
        }
      }
      group.addTask {
        defer { watch.isOver.store(true, ordering: .relaxed) }
        for round in 1...6 {
          let generation = round % 2 == 0 ? "even" : "odd"
          try await stage.importLines(Self.lines(generation, works: 60 + round), into: writer)
          writer.renew()
          #expect(try await Self.generation(of: writer) == generation)
          #expect(try await writer.counts()?.works == 60 + round)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await Set(Self.generations(stage.open(), limit: 200)) == ["even"])
  }

  @Test(arguments: LibraryKind.allCases)
  func `imports at once take turns`(kind: LibraryKind) async throws {
    let stage = try await CatalogueStage(kind)
    let (first, second) = (try stage.open(), try stage.open())
    let watch = Watch()
    let (began, beginning) = AsyncStream<Void>.makeStream()
    let (waits, waiting) = AsyncStream<Void>.makeStream()
    let dump = try stage.dump(Self.lines("second"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await first.replace { draft in
          beginning.yield()
          // Until the other one waits for the lock.
          for await _ in waits { break }
          var batch = CatalogueBatch()
          var report = CatalogueImport.Report()
          let work = try DumpLine.read(Array(CatalogueStage.work(9, "Shelf first").utf8))
          batch.add(work, bytes: 1, &report)
          try await draft.add(batch)
          watch.order.withLock { $0.append("first") }
        } telling: { _ in
        }
      }
      group.addTask {
        for await _ in began { break }
        _ = try await CatalogueImport.run(files: [dump], into: second) { progress in
          if progress.phase == .waiting { waiting.yield() }
          if progress.phase == .reading { watch.order.withLock { $0.append("second") } }
        }
      }
      try await group.waitForAll()
    }
    let order = watch.order.withLock(\.self)
    #expect(order.first == "first")
    #expect(order.count > 1 && order.dropFirst().allSatisfy { $0 == "second" })
    #expect(try await Set(Self.generations(stage.open(), limit: 200)) == ["second"])
    #expect(try await stage.open().counts()?.works == 60)
    try await Self.expectNothingBesides(stage)
  }

  @Test(arguments: LibraryKind.allCases)
  func `many imports at once end with one whole catalogue`(kind: LibraryKind) async throws {
    let stage = try await CatalogueStage(kind)
    let names = (0..<5).map { "import\($0)" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, name) in names.enumerated() {
        group.addTask {
          try await stage.importLines(Self.lines(name, works: 61 + number), into: try stage.open())
        }
      }
      try await group.waitForAll()
    }
    let last = try stage.open()
    let name = try #require(try await Self.generation(of: last))
    let place = try #require(names.firstIndex(of: name))
    #expect(try await last.counts()?.works == 61 + place)
    #expect(try await Set(Self.generations(last, limit: 200)) == [name])
    try await Self.expectNothingBesides(stage)
  }

  @Test(arguments: LibraryKind.allCases)
  func `an import that fails leaves the catalogue that was there`(kind: LibraryKind) async throws {
    let stage = try await CatalogueStage(kind)
    let catalogue = try stage.open()
    try await stage.importLines(Self.lines("kept"), into: catalogue)
    let (files, _) = try await stage.generate(works: 20)
    var cut = Array(try Data(contentsOf: URL(fileURLWithPath: files[0])))
    cut.removeLast(20)
    let broken = try stage.stage.folder.file("cut.txt.gz", cut)
    let nothing = try stage.dump(["/type/redirect\t/works/OL1W\t1\t2020\t{}", "what is this"])
    let others = try stage.dump(Self.lines("other"))
    for (files, code) in [
      ([others, broken], LibraryError.Code.damagedDump), ([nothing], .damagedDump),
      ([others, stage.stage.folder.path + "/none"], .unreadableDump),
    ] {
      let error = await #expect(throws: LibraryError.self) {
        try await CatalogueImport.run(files: files, into: catalogue)
      }
      #expect(error?.code == code)
      catalogue.renew()
      #expect(try await Self.generation(of: catalogue) == "kept")
      #expect(try await catalogue.counts()?.works == 60)
      try await Self.expectNothingBesides(stage)
    }
  }

  @Test(arguments: LibraryKind.allCases)
  func `owners have nothing in common, and nothing replaces a catalogue`(
    kind: LibraryKind
  ) async throws {
    let stage = try await CatalogueStage(kind)
    let (usual, ann, ben) = (
      try stage.open(), try stage.open(owner: "ann"), try stage.open(owner: "ben")
    )
    try await stage.importLines(Self.lines("usual"), into: usual)
    try await stage.importLines(Self.lines("ann", works: 30), into: ann)
    for catalogue in [usual, ann, ben] { catalogue.renew() }
    #expect(try await Set(Self.generations(usual, limit: 200)) == ["usual"])
    #expect(try await Set(Self.generations(ann, limit: 200)) == ["ann"])
    #expect(try await ann.counts()?.works == 30)
    #expect(try await ben.counts() == nil)
    #expect(try await Self.generation(of: ben) == nil)
    #expect(try await Self.generations(ben).isEmpty)
    #expect(try await ben.candidates(words: "Shelf ann", limit: 9).isEmpty)
    try await stage.importLines(Self.lines("later", works: 31), into: ann)
    usual.renew()
    #expect(try await Self.generations(usual, limit: 200).count == 60)
  }

  @Test(arguments: LibraryKind.allCases)
  func `a dump of any length is stored in parts`(kind: LibraryKind) async throws {
    let stage = try await CatalogueStage(kind)
    let catalogue = try stage.open()
    let many = CatalogueLimits.batchLines + 2_000
    var lines = (1...many).map { CatalogueStage.author($0, "Author \($0)") }
    lines.append(CatalogueStage.work(1, "Dune", authors: [1, many]))
    let stops = Mutex<[Int]>([])
    let report = try await CatalogueImport.run(files: [try stage.dump(lines)], into: catalogue) {
      progress in
      if progress.phase == .reading { stops.withLock { $0.append(progress.lines) } }
    }
    #expect(report.authors == many)
    // More than one part, the last of which ends with the file.
    #expect(stops.withLock(\.count) >= 2)
    #expect(stops.withLock { $0.last } == many + 1)
    catalogue.renew()
    #expect(try await catalogue.counts()?.authors == many)
    let found = try await catalogue.candidates(title: "Dune", author: nil, limit: 1)
    #expect(found.first?.authors == ["Author 1", "Author \(many)"])
  }

  @Test func `an import that lost its database is cleared away by the next one`() async throws {
    let stage = try await CatalogueStage(.postgres)
    let catalogue = try stage.open()
    try await stage.importLines(Self.lines("kept"), into: catalogue)
    let operatorConnection = try await PostgresConnection.open(
      stage.stage.address,
      limits: LibraryStage.limits
    )
    await #expect(throws: PostgresError.self) {
      try await catalogue.replace { draft in
        try await draft.add(try Self.batch(Self.lines("lost")))
        try await operatorConnection.query(
          "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = $1",
          [.text("freshet \(stage.stage.schema)")]
        )
        try await draft.add(try Self.batch(Self.lines("lost")))
      } telling: { _ in
      }
    }
    await operatorConnection.close()
    #expect(try await Self.generation(of: catalogue) == "kept")
    #expect(try await Self.drafts(stage) > 1)
    try await stage.importLines(Self.lines("next"), into: catalogue)
    #expect(try await Set(Self.generations(catalogue, limit: 200)) == ["next"])
    try await Self.expectNothingBesides(stage)
  }

  @Test func `an import that waits for another one lets the database clean up`() async throws {
    let stage = try await CatalogueStage(.postgres)
    let first = try stage.open()
    let pool = stage.stage.tables.pool(
      try stage.stage.address,
      limits: LibraryStage.limits,
      purpose: "waiting \(stage.stage.schema)"
    )
    defer { pool.close() }
    let second = PostgresCatalogue(pool, turnPartSeconds: 0.05)
    let operatorConnection = try await PostgresConnection.open(
      stage.stage.address,
      limits: LibraryStage.limits
    )
    /// Since when the other import waits, as the number of a transaction.
    func since() async throws -> Int64? {
      try await operatorConnection.query(
        """
        SELECT backend_xmin::text::bigint FROM pg_stat_activity
        WHERE application_name = $1 AND wait_event_type = 'Lock' AND backend_xmin IS NOT NULL
        """,
        [.text("freshet waiting \(stage.stage.schema)")]
      ).first?[0]
    }
    let (waits, waiting) = AsyncStream<Void>.makeStream()
    let dump = try stage.dump(Self.lines("second"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      try await first.replace { draft in
        try await draft.add(try Self.batch(Self.lines("first")))
        group.addTask {
          _ = try await CatalogueImport.run(files: [dump], into: second) { progress in
            if progress.phase == .waiting { waiting.yield() }
          }
        }
        for await _ in waits { break }
        var seen: Int64?
        while seen == nil { seen = try await since() }
        let before = try #require(seen)
        // Each of these is a transaction of its own; what waits since is of one of them, or later.
        let rows = try await operatorConnection.query("SELECT pg_current_xact_id()::text::bigint")
        let now: Int64 = try #require(rows.first)[0]
        #expect(before <= now)
        while try await since() ?? 0 <= now {
          try await operatorConnection.query("SELECT pg_current_xact_id()")
        }
      } telling: { _ in
      }
      try await group.waitForAll()
    }
    await operatorConnection.close()
    #expect(try await Set(Self.generations(first, limit: 200)) == ["second"])
    let rows = try await pool.query("SHOW lock_timeout")
    #expect(try #require(rows.first)[0] as String == "0")
    try await Self.expectNothingBesides(stage)
  }

  @Test func `imports use the words of the index again, and owners share none`() async throws {
    let stage = try await CatalogueStage(.postgres)
    let owners = (0..<4).map { "owner\($0)" }
    let catalogues = try owners.map { (owner: $0, catalogue: try stage.open(owner: $0)) }
    let pool = try stage.pool()
    defer { pool.close() }
    var seen: Set<String> = []
    for round in 0..<4 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (owner, catalogue) in catalogues {
          group.addTask {
            try await stage.importLines(Self.lines("\(owner) \(round)"), into: catalogue)
          }
        }
        try await group.waitForAll()
      }
      let rows = try await pool.query(
        """
        SELECT catalogue, split_part(word, '.', 1)
        FROM catalogue_search CROSS JOIN unnest(tsvector_to_array(words)) AS word GROUP BY 1, 2
        """
      )
      #expect(rows.count == owners.count)
      let slots: [String] = try rows.map { try $0[1] }
      #expect(Set(slots).count == owners.count)
      seen.formUnion(slots)
      for (owner, catalogue) in catalogues {
        let found = try await Self.generations(catalogue, limit: 200)
        #expect(found.count == 60 && Set(found) == [owner])
      }
    }
    // An owner has the slots of what serves and of its draft, however often it is replaced.
    #expect(seen.isSubset(of: (0..<owners.count * 2).map(String.init)))
  }

  @Test func `a file that an import left behind is not a hindrance`() async throws {
    let stage = try await CatalogueStage(.sqlite)
    for end in [".partial", ".lock"] {
      _ = try stage.stage.folder.file("default.sqlite" + end, Array("left".utf8))
    }
    let catalogue = try stage.open()
    try await stage.importLines(Self.lines("next"), into: catalogue)
    catalogue.renew()
    #expect(try await Set(Self.generations(catalogue, limit: 200)) == ["next"])
    try await Self.expectNothingBesides(stage)
  }

  @Test func `an import needs no more rights than a server`() async throws {
    let stage = try await CatalogueStage(.postgres)
    let (schema, role) = (stage.stage.schema, "catalogue_server_\(stage.stage.schema)")
    let owner = try await PostgresConnection.open(stage.stage.address, limits: LibraryStage.limits)
    try await owner.query("CREATE ROLE \(role) LOGIN")
    _ = try await stage.stage.tables.migrate(owner, grantingTo: [role])
    await owner.close()
    let address = try PostgresAddress(PostgresCluster.uri(as: role))
    let pool = stage.stage.tables.pool(address, limits: LibraryStage.limits)
    let catalogue = PostgresCatalogue(pool)
    for generation in ["one", "two"] {
      try await stage.importLines(Self.lines(generation), into: catalogue)
      #expect(try await Set(Self.generations(catalogue, limit: 200)) == [generation])
    }
    await #expect(throws: PostgresError.self) {
      try await pool.query("DROP TABLE \(schema).catalogue")
    }
    pool.close()
  }

  // MARK: What is there

  private static func batch(_ lines: [String]) throws -> CatalogueBatch {
    var batch = CatalogueBatch()
    var report = CatalogueImport.Report()
    for line in lines { batch.add(try DumpLine.read(Array(line.utf8)), bytes: 1, &report) }
    return batch
  }

  /// How many catalogues have rows in the database.
  private static func drafts(_ stage: CatalogueStage) async throws -> Int {
    let pool = try stage.pool()
    defer { pool.close() }
    let parts = (PostgresCatalogueDraft.tables.map(\.0) + ["catalogue_common_word"])
      .map { "SELECT catalogue FROM \($0)" }
    let rows = try await pool.query(
      "SELECT count(*) FROM (\(parts.joined(separator: " UNION ")) UNION SELECT id FROM catalogue) AS known"
    )
    return try #require(rows.first)[0]
  }

  /// Checks that there is nothing but the catalogue of one owner.
  private static func expectNothingBesides(_ stage: CatalogueStage) async throws {
    switch stage.stage.kind {
    case .sqlite:
      let names = try FileManager.default.contentsOfDirectory(atPath: stage.stage.folder.path)
      #expect(names.filter { $0.contains(".sqlite") } == ["default.sqlite"])
    case .postgres: #expect(try await drafts(stage) == 1)
    }
  }
}

/// What tasks of a test tell each other.
private final class Watch: Sendable {
  let isOver = Atomic(false)
  let order = Mutex<[String]>([])
}
