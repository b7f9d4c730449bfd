import Foundation
import GTFS
import Logging
import PostgresClient
import PostgresCluster
import Serving
import Synchronization
import Testing
import Timetable

@testable import StationboardServer

/// Timetables in a real PostgreSQL database, between data folders.
struct TimetableStoreTests: TimetableStageTests {
  @Test("An empty data folder gets the timetable that another machine imported, byte for byte")
  func distribution() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    let entry = try await importSample(one)
    let feed = try await newest(two)
    #expect(feed.entry == entry && feed.changedBy == "one" && feed.sequence == 1)
    try await two.bring(feed)
    #expect(try two.folder.manifest() == one.folder.manifest())
    for file in [Feed.timetableName, Feed.searchName, Feed.reportName] {
      #expect(
        try bytes(one, entry.generation, file) == bytes(two, entry.generation, file),
        "\(file)"
      )
    }
    let opened = try #require(try SampleFeed.store(two.folder).feeds.first)
    #expect(opened.timetable.departureCount > 0)
    let fetched = two.state.withLock { $0.fetchedBytes }
    #expect(fetched > 3 * two.limits.chunkBytes)
    // What is in place is not fetched again.
    try await two.bring(feed)
    #expect(two.state.withLock { $0.fetchedBytes } == fetched)
    // Without the database the folder is left as it is.
    let failure = #expect(throws: FeedError.self) {
      try SampleFeed.importFeed(from: SampleFeed.smallFiles, into: two.folder)
    }
    #expect(failure?.code == .conflict && failure?.message.contains("--database") == true)
  }

  @Test("A damaged part is refused; once it is right, only what is missing is fetched")
  func damage() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    let entry = try await importSample(one)
    let last = "file = 'timetable.freshet' AND number = 2"
    try await stage.run("CREATE TABLE copy AS SELECT content FROM chunk WHERE \(last)")
    try await stage.run(
      "UPDATE chunk SET content = set_byte(content, 9, get_byte(content, 9) # 1) WHERE \(last)"
    )
    let failure = await two.fetch(entry.generation, of: "default")
    guard case .broken(let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason.contains("part 2 of timetable.freshet") && reason.contains("checksum"))
    #expect(two.folder.presentGenerations(of: "default").isEmpty)
    let fetched = two.state.withLock { $0.fetchedBytes }
    try await stage.run("UPDATE chunk SET content = (SELECT content FROM copy) WHERE \(last)")
    // Another process goes on where the first one ended.
    #expect(await two.fetch(entry.generation, of: "default") == nil)
    let total = two.state.withLock { $0.fetchedBytes }
    let size = [Feed.timetableName, Feed.searchName, Feed.reportName].reduce(0) {
      $0 + ((try? bytes(one, entry.generation, $1).count) ?? 0)
    }
    #expect(total == size && fetched > 0 && fetched < size)
    try await two.bring(try await newest(two))
    #expect(try SampleFeed.store(two.folder).feeds.count == 1)
  }

  @Test("A part that cannot be written fails the attempt and gives the room back")
  func noRoom() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    let entry = try await importSample(one)
    // A folder is where the file is to be.
    let partial = two.folder.fetchedFolder(of: "default", generation: entry.generation) + ".partial"
    try FileManager.default.createDirectory(
      atPath: partial + "/" + Feed.searchName,
      withIntermediateDirectories: true
    )
    guard case .broken = await two.fetch(entry.generation, of: "default") else {
      Issue.record("it was written")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: partial))
    #expect(await two.fetch(entry.generation, of: "default") == nil)
  }

  @Test("What another version of the program stored is not taken, and says what to do")
  func versions() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    let entry = try await importSample(one)
    try await stage.run(
      "UPDATE generation SET artifact = replace(artifact, '\"timetable\":1', '\"timetable\":9')"
    )
    #expect(
      await two.fetch(entry.generation, of: "default")
        == .unreadable(
          "\(entry.generation): it has version 9 of the timetable file, and this program reads version 2: install the newer version of freshet"
        )
    )
    #expect(two.state.withLock { $0.fetchedBytes } == 0)
    // An entry with a word that this program does not know.
    try await stage.run("UPDATE feed SET entry = replace(entry, '\"key\"', '\"name\"')")
    let found = try #require(try await two.store.feeds().found.first)
    guard case .failure(.unreadable(let reason)) = found.feed else {
      Issue.record("\(found)")
      return
    }
    #expect(reason.contains("newer version"))
    try await stage.run(
      "UPDATE generation SET artifact = replace(artifact, 'stops.sqlite', '../x')"
    )
    try await stage.run("UPDATE generation SET artifact = replace(artifact, ':9', ':1')")
    guard case .broken = await two.fetch(entry.generation, of: "default") else {
      Issue.record("a file outside of the folder was named")
      return
    }
  }

  @Test("Accepting, going back and taking out of service reach the other machines; few are kept")
  func changes() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    var names: [String] = []
    for _ in 0..<5 { names.append(try await importFollowed(one).generation) }
    #expect(try await stage.count("generation") == 1 + FeedManifest.keptEarlier)
    #expect(try await stage.count("chunk WHERE generation NOT IN (SELECT id FROM generation)") == 0)
    // Fetching one that was removed says so.
    #expect(await two.fetch(names[0], of: "default") == .gone)
    try await two.bring(try await newest(two))
    #expect(try two.folder.manifest() == one.folder.manifest())
    #expect(two.folder.presentGenerations(of: "default") == Set(names.suffix(3)))
    // From the machine that did not import.
    #expect(try await two.rollBack(key: "default").name == names[3])
    try await one.bring(try await newest(one))
    let back = try #require(try one.folder.manifest().feed("default"))
    #expect(back.generation == names[3] && back.held?.generation.name == names[4])
    #expect(try await one.accept(key: "default").name == names[4])
    try await two.bring(try await newest(two))
    #expect(try two.folder.manifest().feed("default")?.generation == names[4])
    #expect(try await one.takeOut(key: "default"))
    #expect(try await !one.takeOut(key: "default"))
    try await two.bring(try await newest(two))
    #expect(try two.folder.manifest().feeds.isEmpty)
    #expect(try await stage.count("generation") == 0)
    #expect(try await stage.count("chunk") == 0)
  }

  @Test(
    "Feeds are in one order on all machines, and a timetable that was imported before can be shared"
  )
  func order() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    try SampleFeed.importFeed(from: SampleFeed.smallFiles, into: one.folder, prefix: "b")
    try SampleFeed.importFeed(from: SampleFeed.smallFiles, into: one.folder, prefix: "c")
    try await importSample(two, prefix: "a")
    #expect(try await one.share(key: "c") == one.folder.manifest().feed("c")?.generation)
    try await one.bring(try await newest(one, "a"))
    try await two.bring(try await newest(two, "c"))
    // What only one machine has comes last.
    #expect(try one.folder.manifest().feeds.map(\.key) == ["a", "c", "b"])
    #expect(try two.folder.manifest().feeds.map(\.key) == ["a", "c"])
    await #expect(throws: FeedError.self) { try await two.share(key: "b") }
  }

  @Test(
    "Going back reaches the generation that served before, also if it was fetched and is not in its place"
  )
  func fetchedEarlier() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    let first = try await importFollowed(one).generation
    let second = try await importFollowed(one).generation
    let feed = try await newest(two)
    #expect(await two.fetch(second, of: "default") == nil)
    #expect(await two.install(feed) == nil)
    #expect(await two.fetch(first, of: "default") == nil)
    #expect(try await two.rollBack(key: "default").name == first)
    #expect(try two.folder.manifest().feed("default")?.generation == first)
    #expect(try await newest(one).entry?.generation == first)
  }

  @Test("Going back to what this machine cannot open changes nothing for the others")
  func damagedEarlier() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    defer { stage.remove(one) }
    let oldest = try await importFollowed(one).generation
    let first = try await importFollowed(one).generation
    let second = try await importFollowed(one).generation
    #expect(try one.folder.manifest().feed("default")?.earlier?.map(\.name) == [first, oldest])
    let path = one.folder.folder(of: "default", generation: first) + "/" + Feed.timetableName
    try Data("damaged".utf8).write(to: URL(fileURLWithPath: path))
    await #expect(throws: FeedError.self) { try await one.rollBack(key: "default") }
    let shared = try #require(try await newest(one).entry)
    #expect(shared.generation == second && shared.earlier?.map(\.name) == [first, oldest])
  }

  @Test("A folder does not go back to a change that a later one has overtaken")
  func overtaken() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    defer { stage.remove(one) }
    try await importSample(one)
    let earlier = try await newest(one)
    let later = try await importSample(one).generation
    let failure = await one.install(earlier)
    #expect(failure?.code == .notInPlace && failure?.message.contains("another machine") == true)
    #expect(try one.folder.manifest().feed("default")?.generation == later)
  }

  @Test("What is stored and cannot be put in place here is not lost, and not called unchanged")
  func stored() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    defer { stage.remove(one) }
    let record = URL(fileURLWithPath: one.folder.path + "/shared.json")
    try FileManager.default.createDirectory(
      at: record.appending(path: "in the way"),
      withIntermediateDirectories: true
    )
    let error = await #expect(throws: FeedError.self) { try await importSample(one) }
    #expect(error?.message.contains("is stored for all servers") == true)
    let generation = try #require(try await newest(one).entry?.generation)
    #expect(one.folder.presentGenerations(of: "default").contains(generation))
    try FileManager.default.removeItem(at: record)
    let newest = try await newest(one)
    #expect(await one.install(newest) == nil)
    #expect(try one.folder.manifest().feed("default")?.generation == generation)
  }

  @Test(
    "Damage of a generation in the data folder is found by its checksums, whichever file has it"
  )
  func verification() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    defer { stage.remove(one) }
    let generation = try await importSample(one).generation
    #expect(await one.verify(generation, of: "default") == nil)
    #expect(await one.verify("other", of: "default") == .gone)
    let folder = one.folder.folder(of: "default", generation: generation)
    for file in [Feed.timetableName, Feed.searchName, Feed.reportName] {
      let place = URL(fileURLWithPath: folder + "/" + file)
      let sound = try Data(contentsOf: place)
      var damaged = sound
      damaged[damaged.count - 1] ^= 1
      for content in [damaged, sound.dropLast()] {
        try content.write(to: place)
        #expect(await one.verify(generation, of: "default") == .missing(generation), "\(file)")
      }
      try FileManager.default.removeItem(at: place)
      #expect(await one.verify(generation, of: "default") == .missing(generation))
      try sound.write(to: place)
      #expect(await one.verify(generation, of: "default") == nil)
    }
  }

  @Test(
    "A timetable that this machine cannot use does not keep it from going back to the one before"
  )
  func rollBackFromUnusable() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    let first = try await importFollowed(one).generation
    let second = try await importFollowed(one).generation
    try await stage.run(
      "UPDATE generation SET artifact = replace(artifact, '\"layout\":1', '\"layout\":9') WHERE name = '\(second)'"
    )
    guard case .unreadable = await two.fetch(second, of: "default") else {
      Issue.record("it can be used")
      return
    }
    #expect(try await two.rollBack(key: "default").name == first)
    #expect(try two.folder.manifest().feed("default")?.generation == first)
    let shared = try #require(try await newest(one).entry)
    #expect(shared.generation == first && shared.held?.generation.name == second)
    // To accept it needs a machine that can use it.
    let failure = await #expect(throws: FeedError.self) { try await two.accept(key: "default") }
    #expect(failure?.code == .damagedTimetable)
    #expect(try await one.accept(key: "default").name == second)
  }

  @Test("A feed whose timetables this machine cannot use can be taken out of service")
  func takeOutUnusable() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    for change in [
      "UPDATE generation SET artifact = replace(artifact, '\"layout\":1', '\"layout\":9')",
      // An entry of another version of the program.
      "UPDATE feed SET entry = replace(entry, '\"key\"', '\"name\"')",
    ] {
      try await importSample(one)
      try await stage.run(change)
      #expect(try await two.takeOut(key: "default"))
      #expect(try await newest(one).entry == nil)
      #expect(try await stage.count("generation") == 0)
    }
    // An import in place of what cannot be read is refused, and removes nothing.
    try await importSample(one)
    try await stage.run("UPDATE feed SET entry = replace(entry, '\"key\"', '\"name\"')")
    let failure = await #expect(throws: FeedError.self) { try await importSample(two) }
    #expect(failure?.code == .damagedTimetable)
    #expect(try await stage.count("generation") == 1)
  }

  @Test("The list of changes keeps the newest ones of each feed, and what each was made of")
  func listOfChanges() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    defer { stage.remove(one) }
    let empty = try await one.store.feeds()
    #expect(empty.keys.isEmpty && empty.found.isEmpty && empty.end == 0)
    var expected: [Int64?] = [nil]
    for _ in 0..<3 {
      try await importSample(one)
      expected.append(try await newest(one).change)
    }
    let rows = try await stage.run("SELECT id, made_of FROM change ORDER BY position")
    #expect(try rows.map { row -> Int64? in try row[0] } == Array(expected.dropFirst()))
    #expect(try rows.map { row -> Int64? in try row[1] } == Array(expected.dropLast()))
    try await stage.run(
      "INSERT INTO change (id, feed, position) SELECT n, 'default', 3 + n FROM generate_series(1, 200) AS n"
    )
    try await stage.run("UPDATE log SET position = 203")
    try await importSample(one)
    #expect(try await stage.count("change") == one.limits.keptChanges)
  }

  @Test("A role that may only read and write rows has all that a server and an import need")
  func leastPrivilege() async throws {
    let owner = try await PostgresCluster.connectAsOwner()
    let role = "timetable_server"
    _ = try? await owner.query("CREATE ROLE \(role) LOGIN")
    await owner.close()
    let stage = try await Stage(grantingTo: [role])
    let (one, two) = (try stage.machine("one", as: role), try stage.machine("two", as: role))
    defer { stage.remove(one, two) }
    try await importSample(one)
    try await importSample(one)
    try await two.bring(try await newest(two))
    var memory = PostgresTimetables.SweepMemory()
    #expect(try await two.store.sweep(&memory) == 0)
    let change = try await two.change("default")
    try await two.write(StaticSchedule(), change)
    await change.release()
    let again = try await one.change("default", patience: .seconds(60))
    #expect(again.sharedSchedule == StaticSchedule())
    await again.release()
    #expect(try await one.takeOut(key: "default"))
  }
}
