import Foundation
import GTFS
import Testing

/// Files that are not UTF-8, compared with Python's codecs.
@Suite struct EncodingTests {
  private static let text = "stop_id,stop_name\r\nA,Łódź Kaliska\r\nB,\"Zürich, Süd 🚆\"\r\n"

  /// A text as Python encodes it.
  private func encoded(_ text: String, _ codec: String) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try folder.write(Array(text.utf8), to: "text")
    let program =
      "import pathlib; t = pathlib.Path('text').read_bytes().decode();"
      + " pathlib.Path('encoded').write_bytes(t.encode('\(codec)'))"
    try folder.run("python3", ["-c", program])
    return try folder.read("encoded")
  }

  /// Everything that a source gives out.
  private func read(_ source: any ByteSource, piece: Int) throws -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
      guard count > 0 else { return result }
      result += buffer.prefix(count)
    }
  }

  @Test(arguments: [
    // With a byte order mark, and without.
    ("utf-16", "UTF-16LE"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE"),
    ("utf-32", "UTF-32LE"), ("utf-32-le", "UTF-32LE"), ("utf-32-be", "UTF-32BE"),
  ])
  func `forms of Unicode are known by the first bytes, in pieces of any size`(
    codec: String,
    name: String
  ) throws {
    let bytes = try encoded(Self.text, codec)
    for (piece, size) in [(1, 1), (2, 7), (3, 100), (5, 1), (1_000, 1_000)] {
      let source = EncodedSource(MemorySource(bytes, piece: piece))
      let decoded = try read(source, piece: size)
      #expect(String(decoding: decoded, as: UTF8.self) == Self.text)
      #expect(source.encoding?.name == name)
    }
    let marked = try encoded("\u{FEFF}" + Self.text, codec)
    let decoded = try read(EncodedSource(MemorySource(marked)), piece: 64)
    let marks: [UInt8] = codec.hasSuffix("e") ? [] : [0xEF, 0xBB, 0xBF]
    #expect(decoded == marks + Array(Self.text.utf8))
  }

  @Test(arguments: ["", "a", "ab", "abc", "a,b\n1,2\n", "\u{FEFF}a,b\n", "ä,ö\n"])
  func `other bytes pass as they are`(text: String) throws {
    for piece in 1...5 {
      let source = EncodedSource(MemorySource(Array(text.utf8), piece: piece))
      #expect(try read(source, piece: 3) == Array(text.utf8))
      #expect(source.encoding == nil)
    }
  }

  @Test func `half a surrogate pair and a number outside Unicode become replacement characters`()
    throws
  {
    func decoded(_ units: [UInt16]) throws -> String {
      let bytes = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      return String(decoding: try read(EncodedSource(MemorySource(bytes)), piece: 9), as: UTF8.self)
    }
    #expect(try decoded([0xFEFF, 0x61, 0xD83D, 0x62]) == "a\u{FFFD}b")
    #expect(try decoded([0xFEFF, 0x61, 0xDE86, 0x62]) == "a\u{FFFD}b")
    #expect(try decoded([0xFEFF, 0x61, 0xD83D]) == "a\u{FFFD}")
    let beyond: [UInt8] = [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0, 0, 0, 0x11, 0, 0x62, 0, 0]
    #expect(
      String(decoding: try read(EncodedSource(MemorySource(beyond)), piece: 9), as: UTF8.self)
        == "a\u{FFFD}\u{FFFD}"
    )
  }

  @Test func `every code page has the letters that Python gives it`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let pages = TextEncoding.all.filter { $0.letters != nil }
    #expect(pages.count == 28)
    let program = """
      import sys, pathlib
      lines = []
      for name in sys.argv[1:]:
          codec = {"macintosh": "mac-roman", "IBM850": "cp850"}.get(name, name)
          letters = [bytes([b]).decode(codec, "replace") for b in range(256)]
          lines.append(" ".join(str(ord(letter)) for letter in letters))
      pathlib.Path("letters").write_text("\\n".join(lines))
      """
    try folder.run("python3", ["-c", program] + pages.map(\.name))
    let lines = String(decoding: try folder.read("letters"), as: UTF8.self).split(separator: "\n")
    for (page, line) in zip(pages, lines) {
      let expected = line.split(separator: " ").compactMap { UInt32($0) }
      let letters = try #require(page.letters).map(\.value)
      // Where Python has none, the browsers have a control character.
      let wrong = (0..<256).filter { byte in
        expected[byte] == 0xFFFD
          ? letters[byte] != 0xFFFD && letters[byte] != UInt32(byte)
          : letters[byte] != expected[byte]
      }
      #expect(wrong.isEmpty, "\(page.name)")
    }
  }

  @Test(arguments: [
    ("windows-1250", "windows-1250"), ("WINDOWS-1250", "windows-1250"), ("cp1250", "windows-1250"),
    ("latin2", "ISO-8859-2"), ("iso8859-2", "ISO-8859-2"), ("ISO_8859-15", "ISO-8859-15"),
    ("utf8", "UTF-8"), ("utf-16le", "UTF-16LE"), ("koi8r", "KOI8-R"), ("latin1", "ISO-8859-1"),
    ("latin", ""), ("1250", ""), ("", ""), ("ISO-8859-12", ""), ("shift_jis", ""), ("łatin1", ""),
  ])
  func `names are read as they are often written`(name: String, known: String) {
    #expect(TextEncoding(name: name)?.name ?? "" == known)
  }

  @Test func `a code page that is named is read, but not against a byte order mark`() throws {
    let bytes = try encoded("Łódź,Gdańsk\n", "cp1250")
    let source = EncodedSource(MemorySource(bytes, piece: 3), encoding: .windows1250)
    #expect(String(decoding: try read(source, piece: 2), as: UTF8.self) == "Łódź,Gdańsk\n")
    for codec in ["utf-8-sig", "utf-16"] {
      let marked = EncodedSource(
        MemorySource(try encoded(Self.text, codec)),
        encoding: .windows1250
      )
      let decoded = try read(marked, piece: 100)
      #expect(String(decoding: decoded, as: UTF8.self).hasSuffix(Self.text))
    }
  }

  /// Names of stops, and the code pages that they are published in.
  static let languages: [(names: String, zone: String, codecs: [String: String])] = [
    (
      "Wrocław Główny\nŚwięta Katarzyna\nŻary\nJelenia Góra\nŁódź Kaliska\nWałbrzych\nSędzisław",
      "Europe/Warsaw", ["cp1250": "windows-1250", "iso8859-2": "ISO-8859-2"]
    ),
    (
      "Wrocław\nWałbrzych\nSędzisław\nSiechnice", "Europe/London",
      ["cp1250": "windows-1250", "iso8859-2": "windows-1250"]
    ),
    (
      "Praha-Vršovice\nÚstí nad Labem\nČeské Budějovice\nPlzeň\nBřeclav\nHořovice\nKrálův Dvůr",
      "Europe/Prague", ["cp1250": "windows-1250", "iso8859-2": "ISO-8859-2"]
    ),
    (
      "Budapest-Keleti\nGyőr\nSzékesfehérvár\nNyíregyháza\nKőszeg", "Europe/Budapest",
      // All of its letters are the same in both.
      ["cp1250": "ISO-8859-2", "iso8859-2": "ISO-8859-2"]
    ),
    (
      "Zürich HB\nGenève-Aéroport\nChâtel-St-Denis\nBärschwil\nSt. Gallen Straße", "Europe/Zurich",
      ["cp1252": "ISO-8859-1", "iso8859-1": "ISO-8859-1"]
    ),
    (
      "Sacré-Cœur\nPlace de l’Étoile\nHôtel de Ville", "Europe/Paris", ["cp1252": "windows-1252"]
    ),
    (
      "¿Dónde?\nPeñíscola\nParal·lel\nMª Cristina\nGirona 2º", "Europe/Madrid",
      ["cp1252": "ISO-8859-1"]
    ),
    (
      "København H\nHelsingør\nMalmö\nTórshavn\nGöteborg", "Europe/Copenhagen",
      ["iso8859-1": "ISO-8859-1"]
    ),
  ]

  @Test(arguments: languages)
  func `the code page is found from the names`(
    names: String,
    zone: String,
    codecs: [String: String]
  ) throws {
    for (codec, expected) in codecs.sorted(by: { $0.key < $1.key }) {
      var detector = EncodingDetector()
      // Lines that are UTF-8 already say nothing.
      for line in try encoded(names, codec).split(separator: 0x0A)
        + Array(names.utf8).split(separator: 0x0A)
      { Array(line).withUnsafeBytes { detector.add($0) } }
      let finding = detector.finding(timeZone: zone)
      // Names without a letter in which two code pages differ are the same in both.
      let letters = try #require(finding.encoding.letters)
      let decoded = try encoded(names, codec).map { Character(letters[Int($0)]) }
      #expect(
        String(decoded) == names && finding.encoding.name == expected,
        "\(codec): \(finding.encoding.name): \(finding.reason)"
      )
    }
  }

  @Test func `a few odd bytes do not turn a feed of Western Europe into another one`() throws {
    let names = Array(repeating: "Hôtel de Ville\nChâtelet\nÉglise Saint-Éloi", count: 10)
      .joined(separator: "\n")
    var detector = EncodingDetector()
    for line in try encoded(names + "\nRue³bis", "cp1252").split(separator: 0x0A) {
      Array(line).withUnsafeBytes { detector.add($0) }
    }
    let finding = detector.finding(timeZone: "Europe/Paris")
    #expect(finding.encoding == .latin1)
    #expect(finding.reason == "few bytes speak for another one")
  }

  @Test func `letters that are not Latin are not guessed`() throws {
    var detector = EncodingDetector()
    let line = try encoded("Москва Октябрьская,Санкт-Петербург", "cp1251")
    line.withUnsafeBytes { detector.add($0) }
    let finding = detector.finding(timeZone: "Europe/Moscow")
    #expect(finding.reason.contains("--encoding"))
    #expect(finding.encoding == .latin1)
  }
}
