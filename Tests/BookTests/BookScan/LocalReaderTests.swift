import Books
import Foundation
import Testing

@testable import BookScan

/// What happens around the programs; what they read is tested with pictures in `BookPipelinesTests`.
@Suite struct LocalReaderTests {
  /// A folder with programs that are shell scripts.
  static func tools(_ scripts: [String: String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("tools-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, script) in scripts {
      let path = folder + "/" + name
      try Data(("#!/bin/sh\n" + script + "\n").utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    return folder
  }

  static let photo = try? Photo(PhotoContentTests.png(640, 480))

  static func read(
    _ scripts: [String: String],
    time: Duration = .seconds(60)
  ) async throws -> Sightings {
    let folder = try tools(scripts)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var limits = ScanLimits()
    limits.toolTime = time
    let reader = LocalShelfReader(limits: limits, searchPath: folder)
    return try await reader.read(#require(photo))
  }

  @Test func `programs that are missing are named with their packages`() async throws {
    let error = await #expect(throws: ScanError.self) { try await Self.read([:]) }
    #expect(error?.code == .toolMissing)
    for word in ["convert", "zbarimg", "tesseract", "imagemagick zbar-tools tesseract-ocr"] {
      #expect(error?.description.contains(word) == true)
    }
    // Barcodes alone are better than nothing, and it is said what is missing.
    let sightings = try await Self.read([
      "convert": "exit 0", "zbarimg": "echo ISBN-13:9780441013593; echo EAN-13:4006381333931",
    ])
    #expect(sightings.books.map(\.isbn) == [ISBN("9780441013593")])
    #expect(sightings.readBy == "zbarimg")
    #expect(sightings.notes.count == 1 && sightings.notes[0].contains("tesseract"))
  }

  @Test func `a program that fails or hangs ends the photo with a reason`() async throws {
    let damaged = await #expect(throws: ScanError.self) {
      try await Self.read(["convert": "exit 1", "zbarimg": "exit 4", "tesseract": "exit 0"])
    }
    #expect(damaged?.code == .notAPhoto)
    let failed = await #expect(throws: ScanError.self) {
      try await Self.read([
        "convert": "exit 0", "zbarimg": "exit 4", "tesseract": "echo no data >&2; exit 1",
      ])
    }
    #expect(failed?.code == .toolFailed)
    #expect(failed?.description.contains("no data") == true)
    let hung = await #expect(throws: ScanError.self) {
      try await Self.read(
        ["convert": "exec /bin/sleep 300", "zbarimg": "exit 4", "tesseract": "exit 0"],
        time: .milliseconds(200)
      )
    }
    #expect(hung?.code == .timedOut)
  }

  @Test func `a program that prints without end is stopped`() async throws {
    let error = await #expect(throws: ScanError.self) {
      try await Self.read([
        "convert": "exit 0", "zbarimg": "exec /usr/bin/yes", "tesseract": "exit 0",
      ])
    }
    #expect(error?.code == .toolFailed)
  }
}
