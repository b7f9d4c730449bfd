import Books
import Foundation

/// Reads photos with programs of this machine: ImageMagick turns them upright, zbar reads barcodes, tesseract reads
/// the words of spines.
///
/// The parts of the photo that make its picture are decoded once, by ImageMagick with limits on memory, size and time,
/// into a grey picture without metadata; the other programs see that picture only. Spines are read in three directions: upright, and
/// turned a quarter to each side.
package struct LocalShelfReader: ShelfReader {
  /// What reports call it.
  package let name = "local"

  /// A program and what it is for.
  package struct Tool: Hashable, Sendable {
    /// The command.
    package var command: String
    /// The Debian package it comes with.
    package var package: String
    /// What cannot be done without it.
    package var purpose: String
  }

  /// Turns and shrinks photos; nothing can be read without it.
  package static let convert = Tool(
    command: "convert",
    package: "imagemagick",
    purpose: "open photos"
  )
  /// Reads barcodes.
  package static let zbarimg = Tool(
    command: "zbarimg",
    package: "zbar-tools",
    purpose: "read ISBN barcodes"
  )
  /// Reads words.
  package static let tesseract = Tool(
    command: "tesseract",
    package: "tesseract-ocr",
    purpose: "read the words on spines"
  )

  private let limits: ScanLimits
  private let tools: ToolRunner
  private let languages: String
  private let scratch: String

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - limits: The limits of the input.
  ///   - searchPath: The folders with programs, separated by colons; the process's own PATH if `nil`.
  ///   - languages: Tesseract's names of the languages on the spines, joined by `+`.
  ///   - scratch: A folder for pictures while they are read; that of temporary files if `nil`.
  package init(
    limits: ScanLimits = ScanLimits(),
    searchPath: String? = nil,
    languages: String = "eng",
    scratch: String? = nil
  ) {
    self.scratch = scratch ?? FileManager.default.temporaryDirectory.path
    self.limits = limits
    self.languages = languages
    tools = ToolRunner(limits: limits, searchPath: searchPath)
  }

  /// The programs that are not installed; see `Scripts/install-packages scan`.
  package var missingTools: [Tool] {
    [Self.convert, Self.zbarimg, Self.tesseract].filter { tools.path(of: $0.command) == nil }
  }

  /// Finds barcodes and spines.
  package func read(_ photo: Photo) async throws -> Sightings {
    let missing = missingTools
    if missing.contains(Self.convert) || missing.count == 3 {
      throw ScanError(.toolMissing, Self.explanation(missing))
    }
    guard missing.count < 2 else { throw ScanError(.toolMissing, Self.explanation(missing)) }
    let folder = URL(fileURLWithPath: scratch)
      .appendingPathComponent("freshet-scan-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw ScanError(.toolFailed, "no temporary folder can be made: \(error)")
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let original = folder.appendingPathComponent("photo").path
    let picture = try PhotoContent.picture(of: photo.bytes, photo.header, limits)
    guard FileManager.default.createFile(atPath: original, contents: Data(picture)) else {
      throw ScanError(.toolFailed, "the photo cannot be stored for reading")
    }
    let upright = folder.appendingPathComponent("upright.png").path
    try await convert(
      photo.header.kind.rawValue + ":" + original,
      Self.turning(photo.header) + [
        "-strip", "-colorspace", "Gray",
        "-resize", "\(limits.workingSide)x\(limits.workingSide)>",
      ],
      upright,
      hints: hints(photo.header)
    )
    var sightings: [Sighting] = []
    var readers: [String] = []
    if !missing.contains(Self.zbarimg) {
      sightings += try await barcodes(upright)
      readers.append(Self.zbarimg.command)
    }
    if !missing.contains(Self.tesseract) {
      sightings += try await spines(upright, folder)
      readers.append(Self.tesseract.command)
    }
    var found: [Sighting] = []
    var numbers: Set<ISBN> = []
    for sighting in sightings {
      if let isbn = sighting.isbn, !numbers.insert(isbn).inserted { continue }
      found.append(sighting)
    }
    return Sightings(
      books: Array(found.prefix(limits.books)),
      readBy: readers.joined(separator: ", "),
      notes: missing.isEmpty ? [] : [Self.explanation(missing)]
    )
  }

  /// Explains what is missing and how to get it.
  package static func explanation(_ missing: [Tool]) -> String {
    let tools = missing.map { "\($0.command) is needed to \($0.purpose)" }
    let packages = missing.map(\.package).joined(separator: " ")
    return tools.joined(separator: "; ") + "; install it with: apt-get install " + packages
  }

  // MARK: Programs

  private func convert(
    _ input: String,
    _ changes: [String],
    _ output: String,
    hints: [String] = []
  ) async throws {
    // What does not fit into memory goes into a file beside the photo.
    let limited = [
      "-limit", "memory", "512MiB", "-limit", "map", "512MiB",
      "-limit", "disk", "\(limits.toolFile)",
      "-limit", "width", "\(limits.longestSide)", "-limit", "height", "\(limits.longestSide)",
    ]
    let result = try await tools.run(
      Self.convert.command,
      limited + hints + [input + "[0]"] + changes + ["png:" + output],
      environment: ["MAGICK_TMPDIR": URL(fileURLWithPath: output).deletingLastPathComponent().path]
    )
    guard result.status == 0 else { throw Self.failure(result) }
  }

  /// Why a photo was not decoded.
  private static func failure(_ result: ToolRunner.Result) -> ScanError {
    if result.wasTooMuch {
      return ScanError(
        .tooLarge,
        "the photo needs more memory or time than a photo may; send a smaller one"
      )
    }
    if result.errors.contains("no decode delegate") || result.errors.contains("not authorized") {
      return ScanError(
        .toolMissing,
        "ImageMagick here cannot read photos of this kind; send it as JPEG"
      )
    }
    return ScanError(.notAPhoto, "the photo cannot be decoded: it is damaged or not what it says")
  }

  /// A JPEG is decoded at a part of its size if that is enough to read it.
  private func hints(_ header: PhotoHeader) -> [String] {
    guard header.kind == .jpeg else { return [] }
    let longest = max(header.width, header.height)
    let enough = limits.workingSide * 2 / 3
    guard let part = [8, 4, 2].first(where: { longest / $0 >= enough }) else { return [] }
    return ["-define", "jpeg:size=\(header.width / part)x\(header.height / part)"]
  }

  /// What turns a photo upright; programs that decode HEIC have done so already.
  private static func turning(_ header: PhotoHeader) -> [String] {
    guard header.kind != .heic else { return [] }
    return switch header.orientation {
    case 2: ["-flop"]
    case 3: ["-rotate", "180"]
    case 4: ["-flip"]
    case 5: ["-transpose"]
    case 6: ["-rotate", "90"]
    case 7: ["-transverse"]
    case 8: ["-rotate", "270"]
    default: []
    }
  }

  /// The ISBNs of the barcodes.
  private func barcodes(_ picture: String) async throws -> [Sighting] {
    let result = try await tools.run(
      Self.zbarimg.command,
      [
        "--quiet", "--nodbus", "-Sdisable", "-Sean13.enable", "-Sisbn13.enable", "-Sisbn10.enable",
        picture,
      ]
    )
    // Status 4: no barcode was found.
    guard result.status == 0 || result.status == 4 else {
      throw ScanError(.toolFailed, "zbarimg ended with \(result.status)")
    }
    return result.output.split(separator: "\n").compactMap { line in
      guard let colon = line.firstIndex(of: ":"),
        let isbn = ISBN(line[line.index(after: colon)...])
      else { return nil }
      return Sighting(.isbn, isbn: isbn, confidence: 1)
    }
  }

  /// The lines of words in three directions.
  private func spines(_ picture: String, _ folder: URL) async throws -> [Sighting] {
    var sightings: [Sighting] = []
    for turn in [0, 270, 90] {
      try Task.checkCancellation()
      var path = picture
      if turn != 0 {
        path = folder.appendingPathComponent("turned-\(turn).png").path
        try await convert("png:" + picture, ["-rotate", "\(turn)"], path)
      }
      // Letters of different heights are read best at different sizes.
      let half = folder.appendingPathComponent("half-\(turn).png").path
      try await convert("png:" + path, ["-resize", "50%"], half)
      let words = SpineText.merged(
        try await words(path),
        try await words(half).map { $0.scaled(by: 2) }
      )
      for line in SpineText.lines(words) {
        let numbers = SpineText.numbers(in: line.text)
        sightings += numbers.map { Sighting(.isbn, isbn: $0, confidence: line.confidence) }
        if numbers.isEmpty {
          sightings.append(Sighting(.text, title: line.text, confidence: line.confidence))
        }
      }
    }
    return sightings
  }

  /// The words of a picture.
  private func words(_ picture: String) async throws -> [SpineText.Word] {
    // 11: words anywhere, in no order. Sauvola's method finds dark letters on grey spines.
    let result = try await tools.run(
      Self.tesseract.command,
      [
        picture, "stdout", "--psm", "11", "-c", "thresholding_method=2", "-l", languages, "tsv",
      ]
    )
    guard result.status == 0 else {
      throw ScanError(.toolFailed, "tesseract ended with \(result.status): \(result.lastError)")
    }
    return SpineText.words(result.output)
  }
}
