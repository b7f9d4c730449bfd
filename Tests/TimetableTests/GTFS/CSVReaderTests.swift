import GTFS
import Testing

@Suite struct CSVReaderTests {
  /// A file and what is in it.
  struct Vector: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    var records: [Record]

    init(_ name: String, _ text: String, _ records: Record...) {
      self.name = name
      self.text = text
      self.records = records
    }

    var testDescription: String { name }
  }

  static let vectors: [Vector] = [
    Vector(
      "plain lines",
      "a,b\n1,2\n3,4\n",
      Record(1, "a", "b"),
      Record(2, "1", "2"),
      Record(3, "3", "4")
    ),
    Vector("a byte order mark", "\u{FEFF}a,b\n1,2\n", Record(1, "a", "b"), Record(2, "1", "2")),
    Vector(
      "a byte order mark before a quoted name",
      "\u{FEFF}\"a\",b\n1,2\n",
      Record(1, "a", "b"),
      Record(2, "1", "2")
    ),
    Vector("a comma in quotes", "a,b\n\"1,2\",3\n", Record(1, "a", "b"), Record(2, "1,2", "3")),
    Vector(
      "doubled quotes",
      "a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n",
      Record(1, "a", "b"),
      Record(2, "say \"hi\"", "\"")
    ),
    Vector(
      "doubled quotes side by side",
      "a\n\"\"\"\"\"\"\n",
      Record(1, "a"),
      Record(2, "\"\"")
    ),
    Vector(
      "empty quotes",
      "a,b\n\"\",\"\"\n1,2\n",
      Record(1, "a", "b"),
      Record(2, "", ""),
      Record(3, "1", "2")
    ),
    Vector(
      "line breaks in quotes",
      "a,b\n\"1\n2\r\n3\r4\",5\n6,7\n",
      Record(1, "a", "b"),
      Record(2, "1\n2\r\n3\r4", "5"),
      Record(6, "6", "7")
    ),
    Vector(
      "a line break in a quoted name",
      "\"a\nb\",c\n1,2\n",
      Record(1, "a\nb", "c"),
      Record(3, "1", "2")
    ),
    Vector(
      "CRLF",
      "a,b\r\n1,2\r\n3,4\r\n",
      Record(1, "a", "b"),
      Record(2, "1", "2"),
      Record(3, "3", "4")
    ),
    Vector("CR", "a,b\r1,2\r3,4\r", Record(1, "a", "b"), Record(2, "1", "2"), Record(3, "3", "4")),
    Vector(
      "all line ends in one file",
      "a,b\r1,2\n3,4\r\n5,6\r\r\n7,8",
      Record(1, "a", "b"),
      Record(2, "1", "2"),
      Record(3, "3", "4"),
      Record(4, "5", "6"),
      Record(6, "7", "8")
    ),
    Vector(
      "whitespace around fields",
      " a ,\tb\n  1\t, 2 x  \n \"3 \" , \" 4\"\t\n",
      Record(1, "a", "b"),
      Record(2, "1", "2 x"),
      Record(3, "3 ", " 4")
    ),
    Vector(
      "blank lines",
      "\n\r\n  \na,b\n\n1,2\n \t \n\n3,4\n\n\n",
      Record(4, "a", "b"),
      Record(6, "1", "2"),
      Record(9, "3", "4")
    ),
    Vector("no last line end", "a,b\n1,2", Record(1, "a", "b"), Record(2, "1", "2")),
    Vector(
      "an empty last field without a line end",
      "a,b\n1,",
      Record(1, "a", "b"),
      Record(2, "1", "")
    ),
    Vector("a quoted last field without a line end", "a\n\"1\"", Record(1, "a"), Record(2, "1")),
    Vector("whitespace after the last line", "a\n1\n  ", Record(1, "a"), Record(2, "1")),
    Vector(
      "short rows",
      "a,b,c\n1\n2,3\n,,\n",
      Record(1, "a", "b", "c"),
      Record(2, "1", "", ""),
      Record(3, "2", "3", ""),
      Record(4, "", "", "")
    ),
    Vector(
      "too many fields",
      "a,b\n1,2,3\n4,5\n6,7,8,\n",
      Record(1, "a", "b"),
      Record(2, problem: "3 fields; the header has 2"),
      Record(3, "4", "5"),
      Record(4, problem: "4 fields; the header has 2")
    ),
    Vector(
      "blank fields beyond the header",
      "a,b\n1,2,, \n3,4,\"\"\n",
      Record(1, "a", "b"),
      Record(2, "1", "2"),
      Record(3, "3", "4")
    ),
    Vector(
      "text after the closing quote",
      "a,b\n\"1\"x,2\n3,\"4\" \"5\"\n6,7\n",
      Record(1, "a", "b"),
      Record(2, problem: "column 1: text after the closing quote"),
      Record(3, problem: "column 2: text after the closing quote"),
      Record(4, "6", "7")
    ),
    Vector(
      "quotes within a field that does not begin with one",
      "a,b\n1 \"x\",2\"\n3,4\n",
      Record(1, "a", "b"),
      Record(2, "1 \"x\"", "2\""),
      Record(3, "3", "4")
    ),
    Vector(
      "a quote never closed",
      "a,b\n1,\"2\n3,4\n5,6\n",
      Record(1, "a", "b"),
      Record(2, problem: "a quote is never closed"),
      Record(3, "3", "4"),
      Record(4, "5", "6")
    ),
    Vector(
      "a quote never closed in the last line",
      "a,b\n1,2\n3,\"4",
      Record(1, "a", "b"),
      Record(2, "1", "2"),
      Record(3, problem: "a quote is never closed")
    ),
    Vector(
      "a quote never closed, CRLF",
      "a,b\r\n\"1,2\r\n3,4\r\n",
      Record(1, "a", "b"),
      Record(2, problem: "a quote is never closed"),
      Record(3, "3", "4")
    ),
    Vector(
      "a quote never closed, CR",
      "a,b\r1,\"2\r3,4\r5,6\r",
      Record(1, "a", "b"),
      Record(2, problem: "a quote is never closed"),
      Record(3, "3", "4"),
      Record(4, "5", "6")
    ),
    Vector(
      "a quote never closed after a record of several lines",
      "a,b\n\"1\n1\",2\n\"3,4\n5,6\n",
      Record(1, "a", "b"),
      Record(2, "1\n1", "2"),
      Record(4, problem: "a quote is never closed"),
      Record(5, "5", "6")
    ),
    Vector(
      "semicolons",
      "\n a ; b;\"c\"\r\n1,5;\"2;\"\"3\"\"\" ;\t4\r\n;;\n",
      Record(2, "a", "b", "c"),
      Record(3, "1,5", "2;\"3\"", "4"),
      Record(4, "", "", "")
    ),
    Vector(
      "tabs",
      "a\tb\tc\n 1, 5 \t\"2\t3\"\t4;\n\t\t6\n",
      Record(1, "a", "b", "c"),
      Record(2, "1, 5", "2\t3", "4;"),
      Record(3, "", "", "6")
    ),
    Vector(
      "a semicolon beside a comma",
      "a;x,b\n1;2,3\n",
      Record(1, "a;x", "b"),
      Record(2, "1;2", "3")
    ),
    Vector(
      "a comma in a quoted name",
      "\"a,b\";c\n1;2\n",
      Record(1, "a,b", "c"),
      Record(2, "1", "2")
    ),
    Vector("semicolons and tabs", "a;\tb\n1;2\n", Record(1, "a;\tb"), Record(2, "1;2")),
    Vector("semicolons below a header of one name", "a\n1;2\n", Record(1, "a"), Record(2, "1;2")),
    Vector("header only", "a,b\n", Record(1, "a", "b")),
    Vector("header only, no line end", "a,b", Record(1, "a", "b")),
    Vector("header of one letter", "a", Record(1, "a")),
    Vector(
      "letters beyond ASCII",
      "é,ü\nZürich,Genève 🚆\n",
      Record(1, "é", "ü"),
      Record(2, "Zürich", "Genève 🚆")
    ),
  ]

  @Test(arguments: vectors)
  func `every record of a file is read with its line`(vector: Vector) throws {
    #expect(try Record.all(MemorySource(Array(vector.text.utf8))) == vector.records)
  }

  @Test(arguments: vectors)
  func `no split of the input changes a record`(vector: Vector) throws {
    let bytes = Array(vector.text.utf8)
    for place in 0...bytes.count {
      let records = try Record.all(SplitSource(bytes, at: place))
      #expect(records == vector.records, "split at \(place)")
    }
  }

  @Test(arguments: vectors)
  func `input in small pieces reads as in one`(vector: Vector) throws {
    for piece in 1...4 {
      let records = try Record.all(MemorySource(Array(vector.text.utf8), piece: piece))
      #expect(records == vector.records, "pieces of \(piece)")
    }
  }

  @Test func `a quote left open costs its own line, also when quoted fields follow`() throws {
    let text = "a,b\n1,\"broken\n2,\"good\"\n3,\"fine\"\n4,plain\n"
    let records = try Record.all(MemorySource(Array(text.utf8)))
    #expect(records.count(where: { $0.problem != nil }) == 1)
    let good = records.filter { $0.problem == nil }
    #expect(
      good == [
        Record(1, "a", "b"), Record(3, "2", "good"), Record(4, "3", "fine"),
        Record(5, "4", "plain"),
      ]
    )
  }

  @Test(arguments: ["", "\n", "\u{FEFF}", "\r\n  \n\n"])
  func `a file without a header is refused`(text: String) {
    #expect(throws: FeedError(.emptyFile, "stops.txt: the file is empty")) {
      try CSVReader(MemorySource(Array(text.utf8)), file: "stops.txt")
    }
  }

  @Test func `a malformed header is refused with its line`() throws {
    let error = #expect(throws: FeedError.self) {
      try CSVReader(MemorySource(Array("\n\"a\"b,c\n1,2\n".utf8)), file: "stops.txt")
    }
    #expect(error?.code == .invalid)
    #expect(error?.message == "stops.txt, line 2: header: column 1: text after the closing quote")
  }

  @Test func `columns are found by name and required ones are named when missing`() throws {
    let reader = try CSVReader(MemorySource(Array("a, \"b c\" ,d\n1,2\n".utf8)), file: "x.txt")
    #expect(reader.header == ["a", "b c", "d"])
    #expect(reader.column("b c") == 1)
    #expect(reader.column("B C") == nil)
    #expect(try reader.required("d") == 2)
    let error = #expect(throws: FeedError.self) { try reader.required("stop_id") }
    #expect(error?.code == .missingColumn)
    #expect(error?.message == "x.txt: the required column stop_id is missing")
    try #require(try reader.next())
    #expect(reader.bytes(nil).isEmpty)
    #expect(reader.bytes(2).isEmpty)
    #expect(reader.bytes(7).isEmpty)
  }

  @Test func `a header of one name, and bytes that are not text, are shown`() throws {
    func message(_ bytes: [UInt8]) -> String? {
      do throws(FeedError) {
        _ = try CSVReader(MemorySource(bytes), file: "x.txt").required("stop_id")
        return nil
      } catch {
        #expect(error.code == .missingColumn)
        return error.message
      }
    }
    #expect(
      message(Array("stop_id|stop\u{1B}_name\nA|B\n".utf8))
        == "x.txt: the required column stop_id is missing; the header is one name: \"stop_id|stop\u{FFFD}_name\""
    )
    #expect(
      message([0x50, 0x4B, 0x03, 0x04, 0x14, 0x00])
        == "x.txt: is not text; its first bytes are, in hexadecimal, 50 4b 3 4"
    )
  }

  @Test func `the place of a field in its line is known`() throws {
    let reader = try CSVReader(MemorySource(Array("a,b,c\nxy, z,\"q\"\n".utf8)), file: "x.txt")
    try #require(try reader.next())
    #expect([reader.offset(0), reader.offset(1), reader.offset(2)] == [1, 5, 8])
    #expect(reader.offset(9) == 1)
  }

  @Test func `all bytes read are counted`() throws {
    let text = "\u{FEFF}a,b\r\n1,2\r\n\r\n3,\"4\"\r\n"
    let reader = try CSVReader(MemorySource(Array(text.utf8), piece: 3), file: "x.txt")
    while try reader.next() {}
    #expect(reader.bytesRead == text.utf8.count)
    #expect(try !reader.next())
  }

  @Test func `256 columns are read and 257 are refused`() throws {
    func file(_ columns: Int) -> MemorySource {
      let names = (1...columns).map { "c\($0)" }.joined(separator: ",")
      let values = (1...columns).map(String.init).joined(separator: ",")
      return MemorySource(Array("\(names)\n\(values)\n".utf8))
    }
    let records = try Record.all(file(FeedLimits.columns))
    #expect(records[0].fields.last == "c256")
    #expect(records[1].fields.last == "256")
    let error = #expect(throws: FeedError.self) { try Record.all(file(FeedLimits.columns + 1)) }
    #expect(error?.code == .invalid)
    #expect(error?.message == "test.txt, line 1: header: more than 256 fields")
  }

  @Test func `an error of the source comes through`() throws {
    let failure = FeedError(.brokenArchive, "damaged")
    let reader = try CSVReader(
      BrokenSource(Array("a,b\n1,2\n3,".utf8), failure: failure),
      file: "x.txt"
    )
    #expect(try reader.next())
    #expect(throws: failure) { try reader.next() }
  }

  /// Gives its bytes and fails.
  private final class BrokenSource: ByteSource {
    private let bytes: MemorySource
    private let failure: FeedError

    init(_ bytes: [UInt8], failure: FeedError) {
      self.bytes = MemorySource(bytes)
      self.failure = failure
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
      let count = try bytes.read(into: buffer)
      guard count > 0 else { throw failure }
      return count
    }
  }
}
