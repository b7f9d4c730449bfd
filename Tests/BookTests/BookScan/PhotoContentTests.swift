import Books
import Foundation
import TestScale
import Testing

@testable import BookScan

@Suite struct PhotoContentTests {
  static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) }
    return length + Array(type.utf8) + content + [1, 2, 3, 4]
  }

  /// A PNG with everything that a PNG has, but for pixels.
  static func png(_ width: UInt32, _ height: UInt32, others: [UInt8] = []) -> [UInt8] {
    PhotoTests.png(width, height) + [8, 0, 0, 0, 0, 9, 9, 9, 9] + others + chunk("IDAT", [])
      + chunk("IEND", [])
  }

  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + content
  }

  /// A JPEG with so many scans.
  static func jpeg(scans: Int = 1, others: [UInt8] = []) -> [UInt8] {
    let frame: [UInt8] = [8, 2, 0, 3, 0, 1, 1, 0x11, 0]
    let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0xFF, 0, 0x34, 0xFF, 0xD0, 0x56]
    return [0xFF, 0xD8] + others + segment(0xDB, [0]) + segment(0xC2, frame)
      + Array(repeatElement(scan, count: scans).joined()) + [0xFF, 0xD9]
  }

  static func picture(_ bytes: [UInt8]) throws(ScanError) -> [UInt8] {
    try PhotoContent.picture(of: bytes, PhotoHeader(bytes), ScanLimits())
  }

  @Test func `texts and profiles of a PNG are not handed over, however much they inflate to`()
    throws
  {
    // 190 kB of nothing that would inflate to 190 MB, many times.
    let bomb = Self.chunk("zTXt", Array("a".utf8) + [0, 0] + [UInt8](repeating: 0, count: 190_000))
    let others =
      Array(repeatElement(bomb, count: 8).joined())
      + Self.chunk("iCCP", [1]) + Self.chunk("eXIf", [2])
    let picture = try Self.picture(Self.png(640, 480, others: others))
    #expect(picture == Self.png(640, 480))
    // What follows the end belongs to nothing.
    #expect(try Self.picture(Self.png(640, 480) + others) == Self.png(640, 480))
  }

  @Test func `a JPEG keeps its picture and how the camera was held`() throws {
    let place = Self.segment(0xE1, Array("Exif".utf8) + [0, 0] + Array("MM GPS 47.37 8.54".utf8))
    let preview = Self.segment(0xE2, [UInt8](repeating: 7, count: 60_000))
    let comment = Self.segment(0xFE, Array("taken by".utf8))
    let upright = try Self.picture(Self.jpeg(others: place + preview + comment) + Self.jpeg())
    #expect(upright == Self.jpeg())
    let turned = try Self.picture(Self.jpeg(others: PhotoTests.exif(6, isLittle: true) + comment))
    #expect(try PhotoHeader(turned).orientation == 6)
    #expect(turned.count < Self.jpeg().count + 60)
  }

  @Test func `a JPEG with scans without end is refused for that`() throws {
    #expect(try Self.picture(Self.jpeg(scans: 64)) == Self.jpeg(scans: 64))
    let error = #expect(throws: ScanError.self) { try Self.picture(Self.jpeg(scans: 5_000)) }
    #expect(error?.code == .tooLarge)
    #expect(error?.description.contains("64 scans") == true)
  }

  @Test func `a photo that is cut off is refused as such`() {
    for bytes in [Self.png(640, 480), Self.jpeg()] {
      for length in stride(from: bytes.count - 1, to: bytes.count / 2, by: -1) {
        let error = #expect(throws: ScanError.self) {
          try Self.picture(Array(bytes.prefix(length)))
        }
        #expect(error?.code == .notAPhoto)
      }
      let error = #expect(throws: ScanError.self) { try Self.picture(bytes.dropLast()) }
      #expect(error?.description.contains("cut off") == true)
    }
  }

  private static func webp(_ parts: [(String, [UInt8])]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (type, content) in parts {
      bytes +=
        Array(type.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: content.count >> ($0 * 8)) }
      bytes += content + (content.count % 2 == 1 ? [0] : [])
    }
    let size = bytes.count + 4
    return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }
      + Array("WEBP".utf8) + bytes
  }

  @Test func `sizes of WebP and HEIC photos are read without decoding`() throws {
    let lossy: [UInt8] = [0, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01, 7]
    let plain = Self.webp([("VP8 ", lossy)])
    #expect(try PhotoHeader(plain).width == 640)
    #expect(try PhotoHeader(plain).height == 480)
    #expect(try Self.picture(plain) == plain)
    let extended: [UInt8] = [0x2C, 0, 0, 0, 0x7F, 0x02, 0, 0xDF, 0x01, 0]
    let exif = PhotoTests.exif(8, isLittle: false).dropFirst(10)
    let whole = Self.webp([
      ("VP8X", extended), ("ICCP", [1, 2, 3]), ("VP8 ", lossy), ("EXIF", Array(exif)),
      ("XMP ", [9]),
    ])
    let header = try PhotoHeader(whole)
    #expect(header.width == 640 && header.height == 480 && header.orientation == 8)
    var flags = extended
    flags[0] = 0
    #expect(try Self.picture(whole) == Self.webp([("VP8X", flags), ("VP8 ", lossy)]))
    let bits = 639 | 479 << 14
    let lossless = [0x2F] + (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) } + [0]
    #expect(try PhotoHeader(Self.webp([("VP8L", lossless)])).height == 480)
    for length in 0..<whole.count { _ = try? Self.picture(Array(whole.prefix(length))) }

    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let length = content.count + 8
      return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(type.utf8)
        + content
    }
    func size(_ width: Int, _ height: Int) -> [UInt8] {
      let numbers = [width, height].flatMap { number in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
      }
      return box("ispe", [0, 0, 0, 0] + numbers)
    }
    func heic(_ width: Int, _ height: Int) -> [UInt8] {
      let sizes = box("iprp", box("ipco", size(512, 512) + size(width, height)))
      return box("ftyp", Array("heic".utf8) + [0, 0, 0, 0]) + box("meta", [0, 0, 0, 0] + sizes)
        + box("uuid", Array("secret".utf8)) + box("mdat", [1, 2, 3])
    }
    let photo = heic(5_712, 4_284)
    #expect(try PhotoHeader(photo).width == 5_712)
    let picture = try Self.picture(photo)
    #expect(picture.count == photo.count)
    #expect(!String(decoding: picture, as: UTF8.self).contains("secret"))
    let error = #expect(throws: ScanError.self) { try PhotoHeader(heic(12_000, 9_000)) }
    #expect(error?.code == .tooLarge)
    for length in 0..<photo.count { _ = try? Self.picture(Array(photo.prefix(length))) }
    for index in photo.indices {
      var damaged = photo
      damaged[index] = 0xFF
      _ = try? Self.picture(damaged)
    }
  }

  /// A HEIC photo with a picture, Exif and XMP, in the file or in the meta box.
  private static func heicWithNotes(version: UInt8, way: Int) -> [UInt8] {
    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      bytes(content.count + 8, 4) + Array(type.utf8) + content
    }
    let contents = [
      ("hvc1", "PICTURE-ONE"), ("Exif", "SECRET-EXIF"), ("mime", "SECRET-XMP-"),
      ("grid", "PICTURE-TWO"),
    ]
    func file(at start: Int) -> [UInt8] {
      let infos = contents.indices.flatMap { place in
        box(
          "infe",
          [2, 0, 0, 0] + bytes(place + 1, 2) + [0, 0] + Array(contents[place].0.utf8) + [0]
        )
      }
      var places: [UInt8] = [version, 0, 0, 0, 0x44, 0x40]
      places += bytes(contents.count, version < 2 ? 2 : 4)
      for place in contents.indices {
        let origin = (version > 0 && way == 1 ? 0 : start) + place * 11
        places += bytes(place + 1, version < 2 ? 2 : 4) + (version > 0 ? bytes(way, 2) : [])
        // In two parts, counted from a base.
        places += [0, 0] + bytes(origin - 4 > 0 ? origin - 4 : 0, 4) + bytes(2, 2)
        let shift = origin - 4 > 0 ? 4 : origin
        places += bytes(shift, 4) + bytes(5, 4) + bytes(shift + 5, 4) + bytes(6, 4)
      }
      let sizes = box(
        "iprp",
        box("ipco", box("ispe", [0, 0, 0, 0] + bytes(640, 4) + bytes(480, 4)))
      )
      let data = contents.flatMap { Array($0.1.utf8) }
      var meta =
        box("iinf", [0, 0, 0, 0] + bytes(contents.count, 2) + infos) + box("iloc", places) + sizes
      meta += box("uuid", Array("SECRET-UUID".utf8))
      if way == 1 { meta += box("idat", data) }
      return box("ftyp", Array("heic".utf8) + [0, 0, 0, 0]) + box("meta", [0, 0, 0, 0] + meta)
        + box("mdat", way == 1 ? [] : data)
    }
    // Where the contents begin is known when all else is written.
    return file(at: file(at: 0).count - contents.count * 11)
  }

  @Test(arguments: [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)])
  func `what a HEIC photo says besides its picture stays behind`(version: UInt8, way: Int) throws {
    let photo = Self.heicWithNotes(version: version, way: way)
    let header = try PhotoHeader(photo)
    #expect(header.width == 640 && header.height == 480)
    #expect(String(decoding: photo, as: UTF8.self).contains("SECRET-EXIF"))
    let picture = try Self.picture(photo)
    #expect(picture.count == photo.count)
    let text = String(decoding: picture, as: UTF8.self)
    #expect(!text.contains("SECRET"))
    #expect(text.contains("PICTURE-ONE") && text.contains("PICTURE-TWO"))
    // Only what is emptied is changed.
    let changed = zip(photo, picture).count { $0 != $1 }
    #expect(changed <= 2 * 11 + 11 + 4)
    for length in 0..<photo.count { _ = try? Self.picture(Array(photo.prefix(length))) }
    for index in photo.indices {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        var damaged = photo
        damaged[index] = value
        _ = try? Self.picture(damaged)
      }
    }
  }

  /// A HEIC photo of few bytes with so many items, each of so many parts, and each part the whole file.
  private static func heic(items: Int, parts: Int, data: Int) -> [UInt8] {
    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      bytes(content.count + 8, 4) + Array(type.utf8) + content
    }
    let size = box("ispe", [0, 0, 0, 0] + bytes(640, 4) + bytes(480, 4))
    // Offsets and lengths have no bytes.
    let places = (0..<items).flatMap { (item: Int) -> [UInt8] in
      bytes(item + 1, 2) + [0, 0] + bytes(parts, 2)
    }
    let meta =
      box("iprp", box("ipco", size)) + box("iloc", [0, 0, 0, 0, 0, 0] + bytes(items, 2) + places)
    return box("ftyp", Array("heic".utf8) + [0, 0, 0, 0]) + box("meta", [0, 0, 0, 0] + meta)
      + box("mdat", [UInt8](repeating: 7, count: data))
  }

  @Test func `the parts of a HEIC photo take no more time than its bytes`() throws {
    // 16 million parts, which 24 KB describe.
    let error = #expect(throws: ScanError.self) {
      try Self.picture(Self.heic(items: 4_096, parts: 4_096, data: 100))
    }
    #expect(error?.code == .notAPhoto)
    // 4,096 parts, each of 16 MB: 64 GB to be emptied, one after the other.
    let large = Self.heic(items: 1, parts: 4_096, data: 16 << 20)
    #expect(try !Self.picture(large).contains(7))
    // A second meta box would have all of that once more.
    let twice = Self.heic(items: 1, parts: 1, data: 9)
    #expect(throws: ScanError.self) { try Self.picture(twice + twice.dropFirst(16)) }
  }

  @Test func `programs run with the limits of the system`() async throws {
    let folder = try LocalReaderTests.tools([
      "show": "ulimit -v; ulimit -n; ulimit -f; ulimit -t",
      "grow": "exec /usr/bin/env python3 -c 'bytearray(6 << 30)'",
    ])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let limits = ScanLimits()
    let tools = ToolRunner(limits: limits, searchPath: folder)
    let shown = try await tools.run("show", [])
    let wanted = [limits.toolMemory >> 10, limits.toolFiles, limits.toolFile >> 9, 60]
    let found = shown.output.split(separator: "\n").map { Int($0) ?? .max }
    #expect(found.count == 4)
    for (one, most) in zip(found, wanted) { #expect(one <= most) }
    #expect(try await tools.run("grow", []).status != 0)
  }

  @Test(arguments: [
    ("cache resources exhausted `photo'", ScanError.Code.tooLarge),
    ("memory allocation failed `photo'", .tooLarge),
    ("no decode delegate for this image format `HEIC'", .toolMissing),
    ("Invalid SOS parameters", .notAPhoto),
  ])
  func `a photo that is not decoded says the true reason`(
    complaint: String,
    code: ScanError.Code
  ) async throws {
    let error = await #expect(throws: ScanError.self) {
      try await LocalReaderTests.read([
        "convert": "echo \"convert: \(complaint.replacing("`", with: ""))\" >&2; exit 1",
        "zbarimg": "exit 4", "tesseract": "exit 0",
      ])
    }
    #expect(error?.code == code)
  }

  /// ImageMagick and zbar of this machine, and nothing that reads words: that takes long.
  private static func reader() throws -> (LocalShelfReader, String) {
    let folder = try LocalReaderTests.tools(["tesseract": "exit 0"])
    for name in ["convert", "zbarimg"] {
      let path = try #require(
        ["/usr/bin/", "/usr/local/bin/", "/bin/"].map { $0 + name }
          .first { FileManager.default.isExecutableFile(atPath: $0) }
      )
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name,
        withDestinationPath: path
      )
    }
    return (LocalShelfReader(searchPath: folder, scratch: folder), folder)
  }

  @Test(
    arguments: TestScale.sized(
      [("5712x4284", "jpg"), ("4032x3024", "heic")],
      long: [
        ("5712x4284", "jpg"), ("8160x6120", "jpg"), ("5712x4284", "png"), ("4032x3024", "webp"),
        ("4032x3024", "heic"),
      ]
    )
  )
  func `photos of today's phones are read`(size: String, kind: String) async throws {
    let (reader, folder) = try Self.reader()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let drawn = folder + "/drawn.jpg"
    try await PythonProgram.run(
      "shelf_photo.py",
      [drawn, "--barcode", "9780441013593", "--exif", kind == "jpg" ? "6" : "1"],
      python: "/usr/bin/python3"
    )
    let path = folder + "/photo.\(kind)"
    let made = Process()
    made.executableURL = URL(fileURLWithPath: folder + "/convert")
    made.arguments = [drawn, "-filter", "Point", "-resize", size + "!", "-quality", "80", path]
    made.standardError = FileHandle.nullDevice
    try made.run()
    made.waitUntilExit()
    guard made.terminationStatus == 0, let data = FileManager.default.contents(atPath: path) else {
      // Not every ImageMagick writes HEIC.
      #expect(kind == "heic" || kind == "webp")
      return
    }
    let photo = try Photo(Array(data))
    #expect(photo.header.width * photo.header.height > 12_000_000)
    let found = try await reader.read(photo)
    #expect(found.books.map(\.isbn) == [ISBN("9780441013593")])
    // Nothing of the photo is left.
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!left.contains { $0.hasPrefix("freshet-scan-") })
  }
}
