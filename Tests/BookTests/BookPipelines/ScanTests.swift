import BookLibrary
import BookPipelines
import BookScan
import Books
import Foundation
import Jobs
import StrictJSON
import Synchronization
import TestScale
import Testing

/// A reader that has seen what a test says, by the length of the photo.
struct TellingReader: ShelfReader {
  let name = "telling"
  var sightings: [Int: [Sighting]] = [:]
  var failures: [Int: ScanError] = [:]

  func read(_ photo: Photo) async throws -> Sightings {
    if let failure = failures[photo.bytes.count] { throw failure }
    return Sightings(books: sightings[photo.bytes.count] ?? [], readBy: name)
  }
}

@Suite struct ScanTests {
  /// A PNG header and some bytes, so that photos can be told apart by their length.
  static func photo(_ length: Int) -> [UInt8] {
    let header: [UInt8] =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 2, 0, 0, 0, 2, 0]
    return header + [UInt8](repeating: 0, count: length - header.count)
  }

  static func work(_ folder: TestFolder, _ lengths: [Int]) throws -> JobWork {
    JobWork(
      job: "j1",
      inputs: try lengths.enumerated().map { try folder.input("\($0).png", photo($1)) }
    )
  }

  static let lookup = BookLookup(providers: [ShelfOfBooks(EnrichmentTests.shelf)])
  static let dune = ISBN("9780441013593")

  @Test func `books above the threshold are approved, the others need a look`() async throws {
    let folder = try TestFolder()
    let reader = TellingReader(sightings: [
      100: [
        Sighting(.isbn, isbn: Self.dune, confidence: 1),
        Sighting(.title, title: "Kindred", author: "Octavia E. Butler", confidence: 0.9),
        Sighting(.title, title: "Emma", author: "Jane Austen", confidence: 0.4),
        Sighting(.title, title: "Emma: a Novel", author: "Austen"),
        Sighting(.isbn, isbn: ISBN("9780374538651"), confidence: 1),
        Sighting(.text, title: "qwrtz pl", confidence: 0.6),
        Sighting(.text, title: "UNKNOWN WORDS ON A SPINE", confidence: 0.95),
      ]
    ])
    let steps = RecordingSteps()
    try await AIScan(provider: reader, lookup: Self.lookup)
      .run(try Self.work(folder, [100]), steps: steps)
    let items = steps.items
    #expect(items.map(\.number) == Array(0..<items.count))
    #expect(
      items.map { $0["title"]?.string ?? "" } == [
        "Dune", "Kindred", "Emma", "", "UNKNOWN WORDS ON A SPINE",
      ]
    )
    #expect(
      items.map(\.outcome) == [
        .approved, .approved, .needsReview, .needsReview, .needsReview,
      ]
    )
    #expect(items[0]["confidence"] == .whole(1))
    #expect(items[1]["confidence"] == .decimal("0.9"))
    #expect(items[3]["isbn"]?.string == "9780374538651")
    #expect(items[3].problems.first?.code == "not_found")
    #expect(items[4]["confidence"] == .decimal("0.5"))
  }

  @Test func `a book in two photos is one item with the higher confidence`() async throws {
    let folder = try TestFolder()
    let reader = TellingReader(sightings: [
      100: [
        Sighting(.title, title: "Dune", author: "Frank Herbert", confidence: 0.6),
        Sighting(.title, title: "Kindred", author: "Octavia E. Butler", confidence: 0.95),
      ],
      101: [
        Sighting(.isbn, isbn: Self.dune, confidence: 1),
        Sighting(.title, title: "Kindred", author: "Octavia E. Butler", confidence: 0.85),
      ],
    ])
    let work = try Self.work(folder, [100, 101])
    let steps = RecordingSteps()
    try await AIScan(provider: reader, lookup: Self.lookup).run(work, steps: steps)
    #expect(steps.items.count == 2)
    #expect(steps.items.map(\.outcome) == [.approved, .approved])
    #expect(steps.items[0]["photo"] == .whole(1))
    #expect(steps.items[1]["photo"] == .whole(0))
    // After a crash behind the first photo the second finds the same books.
    for crash in 1...3 {
      let first = RecordingSteps(crashesAt: crash)
      var again = work
      try? await AIScan(provider: reader, lookup: Self.lookup).run(again, steps: first)
      again.checkpoint = first.state.withLock { $0.checkpoint }
      let second = RecordingSteps()
      second.state.withLock { state in state.items = first.state.withLock { $0.items } }
      try await AIScan(provider: reader, lookup: Self.lookup).run(again, steps: second)
      #expect(second.items == steps.items)
    }
  }

  @Test func `two numbers in one photo are two books with one title`() async throws {
    let folder = try TestFolder()
    let other = ISBN("9780340839942")
    let author = "Frank Herbert"
    let reader = TellingReader(sightings: [
      100: [
        Sighting(.title, title: "Dune", author: author, isbn: Self.dune, confidence: 0.9),
        Sighting(.title, title: "Dune", author: author, isbn: other, confidence: 0.95),
        Sighting(.title, title: "Dune", author: author, confidence: 0.99),
      ]
    ])
    let steps = RecordingSteps()
    try await AIScan(provider: reader, lookup: Self.lookup)
      .run(try Self.work(folder, [100]), steps: steps)
    #expect(
      steps.items.map { $0["isbn"]?.string } == [Self.dune?.description, other?.description]
    )
    // A spine first, whose number is the catalogue's: it becomes the number that is read.
    let spines = TellingReader(sightings: [
      100: [
        Sighting(.title, title: "Dune", author: author, confidence: 0.99),
        Sighting(.title, title: "Dune", author: author, isbn: other, confidence: 0.95),
        Sighting(.isbn, isbn: Self.dune, confidence: 1),
      ]
    ])
    let later = RecordingSteps()
    try await AIScan(provider: spines, lookup: Self.lookup)
      .run(try Self.work(folder, [100]), steps: later)
    #expect(
      later.items.map { $0["isbn"]?.string } == [other?.description, Self.dune?.description]
    )
  }

  @Test func `a photo that cannot be read does not cost the others`() async throws {
    let folder = try TestFolder()
    let reader = TellingReader(
      sightings: [100: [Sighting(.isbn, isbn: Self.dune, confidence: 1)]],
      failures: [101: ScanError(.timedOut, "slow")]
    )
    var work = try Self.work(folder, [101, 100])
    work.inputs.append(try folder.input("text.txt", "no photo"))
    let steps = RecordingSteps()
    try await AIScan(provider: reader, lookup: Self.lookup).run(work, steps: steps)
    #expect(steps.items.map(\.outcome) == [.failed, .approved, .failed])
    #expect(
      steps.items.map { $0.problems.first?.code } == ["scan_timed_out", nil, "photo_unreadable"]
    )
    #expect(steps.items[0].problems[0].isRetryable)
    #expect(!steps.items[2].problems[0].isRetryable)
    let none = try Self.work(folder, [101, 101])
    let failed = RecordingSteps()
    let failure = await #expect(throws: JobFailure.self) {
      try await AIScan(provider: reader, lookup: Self.lookup).run(none, steps: failed)
    }
    #expect(failure?.code == "scan_timed_out")
    #expect(failure?.isRetryable == true)
    #expect(failed.count(.failed) == 2)
    // Killed before its end was stored, it ends the same.
    var rest = none
    rest.checkpoint = failed.state.withLock { $0.checkpoint }
    await #expect(throws: JobFailure.self) {
      try await AIScan(provider: reader, lookup: Self.lookup).run(rest, steps: RecordingSteps())
    }
  }

  /// Scans a photo drawn by `shelf_photo.py`; Pillow comes with the system's Python.
  private static func scan(_ arguments: [String]) async throws -> [JobItem] {
    let folder = try TestFolder()
    let path = folder.path + "/\(UUID().uuidString).jpg"
    try await PythonProgram.run("shelf_photo.py", [path] + arguments, python: "/usr/bin/python3")
    let photo = JobInput(name: "shelf.jpg", mediaType: "image/jpeg", path: path, byteCount: 0)
    let steps = RecordingSteps()
    try await AIScan(provider: LocalShelfReader(), lookup: shelf)
      .run(JobWork(job: "j1", inputs: [photo]), steps: steps)
    return steps.items
  }

  static let shelf = BookLookup(providers: [
    ShelfOfBooks([
      ("Dune", "Frank Herbert", "9780441013593"), ("Neuromancer", "William Gibson", nil),
      ("Dune Messiah", "Frank Herbert", "9780593098233"), ("Kindred", "Octavia E. Butler", nil),
      ("The Name of the Rose", "Umberto Eco", "9780156001311"),
    ])
  ])

  @Test func `barcodes and spines of a photo give the right books`() async throws {
    let items = try await Self.scan([
      "--spine", "Dune|Frank Herbert", "--spine", "Neuromancer|William Gibson",
      "--spine", "Dune Messiah|Frank Herbert", "--lying", "Kindred|Octavia E. Butler",
      "--barcode", "9780156001311", "--barcode", "9780374538651",
    ])
    let approved = items.filter { $0.outcome == .approved }
    #expect(
      Set(approved.compactMap { $0["title"]?.string }) == [
        "Dune", "Neuromancer", "Dune Messiah", "Kindred", "The Name of the Rose",
      ]
    )
    let unknown = items.first { $0["isbn"]?.string == "9780374538651" }
    #expect(unknown?.outcome == .needsReview)
  }

  @Test(arguments: TestScale.sized([6, 8], long: [3, 6, 8]))
  func `a photo that the camera stored turned is read upright`(orientation: Int) async throws {
    let items = try await Self.scan([
      "--spine", "Dune|Frank Herbert", "--lying", "Kindred|Octavia E. Butler",
      "--barcode", "9780156001311", "--exif", "\(orientation)",
    ])
    let approved = items.filter { $0.outcome == .approved }
    #expect(
      Set(approved.compactMap { $0["title"]?.string }) == [
        "Dune", "Kindred", "The Name of the Rose",
      ]
    )
  }
}
