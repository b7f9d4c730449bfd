import Testing

@testable import Books

@Suite struct EncodingTests {
  /// A text in each encoding, as bytes.
  static let text = "Título: «Ça», Œuvre – naïve €5 \u{1F4DA}\n"

  static func utf16(_ text: String, little: Bool) -> [UInt8] {
    text.utf16.flatMap { unit -> [UInt8] in
      let low = UInt8(unit & 0xFF)
      let high = UInt8(unit >> 8)
      return little ? [low, high] : [high, low]
    }
  }

  static func survey(_ bytes: [UInt8]) throws(ImportFileError) -> (TextEncoding, Int) {
    var survey = EncodingSurvey()
    survey.feed(bytes)
    let found = try survey.finish()
    return (found.encoding, found.markBytes)
  }

  static func decoded(_ bytes: [UInt8], by piece: Int = .max) throws -> String {
    var survey = EncodingSurvey()
    var start = 0
    while start < bytes.count {
      let end = start + min(piece, bytes.count - start)
      survey.feed(bytes[start..<end])
      start = end
    }
    let (encoding, mark) = try survey.finish()
    var transcoder = Transcoder(encoding, markBytes: mark)
    var output: [UInt8] = []
    start = 0
    while start < bytes.count {
      let end = start + min(piece, bytes.count - start)
      transcoder.feed(bytes[start..<end], into: &output)
      start = end
    }
    transcoder.finish(into: &output)
    return try #require(String(validating: output, as: UTF8.self))
  }

  @Test func `each encoding is recognised and gives the same text, wherever it is split`() throws {
    let text = Self.text
    let plain = Array(text.utf8)
    let files: [(TextEncoding, [UInt8])] = [
      (.utf8, plain), (.utf8, [0xEF, 0xBB, 0xBF] + plain),
      (.utf16LittleEndian, [0xFF, 0xFE] + Self.utf16(text, little: true)),
      (.utf16BigEndian, [0xFE, 0xFF] + Self.utf16(text, little: false)),
      (.utf16LittleEndian, Self.utf16("title,author\nDune,Herbert\n", little: true)),
      (.utf16BigEndian, Self.utf16("title,author\nDune,Herbert\n", little: false)),
    ]
    for (encoding, bytes) in files {
      #expect(try Self.survey(bytes).0 == encoding)
      let whole = try Self.decoded(bytes)
      #expect(whole == text || whole == "title,author\nDune,Herbert\n")
      for piece in 1...7 { #expect(try Self.decoded(bytes, by: piece) == whole) }
    }
  }

  @Test func `Windows-1252 and Latin-1 are read where a file is not UTF-8`() throws {
    // "Café – naïve", the dash as Windows writes it.
    let bytes: [UInt8] =
      Array("Caf".utf8) + [0xE9, 0x20, 0x96] + Array(" na".utf8) + [0xEF] + Array("ve".utf8)
    #expect(try Self.survey(bytes).0 == .windows1252)
    #expect(try Self.decoded(bytes) == "Café – naïve")
    #expect(try Self.decoded([0x80, 0x20, 0x81, 0x9D]) == "€ \u{81}\u{9D}")
  }

  @Test func `a stray byte in UTF-8 is read as Windows-1252`() throws {
    let bytes = Array("é, ü, ".utf8) + [0xE9] + Array("t, ß".utf8) + [0xC3]
    var survey = EncodingSurvey()
    survey.feed(bytes)
    #expect(try survey.finish().encoding == .damagedUTF8)
    for piece in 1...9 { #expect(try Self.decoded(bytes, by: piece) == "é, ü, ét, ßÃ") }
    var transcoder = Transcoder(.damagedUTF8, markBytes: 0)
    var output: [UInt8] = []
    transcoder.feed(bytes, into: &output)
    transcoder.finish(into: &output)
    #expect(transcoder.repairs == 2)
  }

  @Test(arguments: [
    [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC2],
    [0xE2, 0x82], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
  ])
  func `overlong, cut and impossible sequences are not UTF-8`(bytes: [UInt8]) throws {
    #expect(try Self.survey(bytes).0 == .windows1252)
  }

  @Test func `half characters of UTF-16 are replaced`() throws {
    let lone = [0xFF, 0xFE, 0x3D, 0xD8, 0x41, 0x00, 0x00, 0xDC, 0x42, 0x00, 0x43] as [UInt8]
    #expect(try Self.decoded(lone) == "\u{FFFD}A\u{FFFD}B\u{FFFD}")
    #expect(try Self.decoded(lone, by: 1) == "\u{FFFD}A\u{FFFD}B\u{FFFD}")
  }

  @Test func `files that are not text are refused with advice`() throws {
    for (bytes, code) in [
      ([], ImportFileError.Code.empty), ([0x50, 0x4B, 3, 4, 0, 0], .notText),
      (Array("title".utf8) + [0] + Array("author and so on".utf8), .notText),
    ] as [([UInt8], ImportFileError.Code)] {
      let error = #expect(throws: ImportFileError.self) { try Self.survey(bytes) }
      #expect(error?.code == code)
    }
    let error = #expect(throws: ImportFileError.self) { try Self.survey([0x50, 0x4B, 3, 4]) }
    #expect(error?.description.contains("Excel") == true)
  }
}
