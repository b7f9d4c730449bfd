import Foundation
import Hashing
import Testing

@testable import Books

@Suite struct DelimitedReaderTests {
  struct Read: Hashable {
    var fields: [String]
    var line: Int
    var fault: DelimitedRecord.Fault?
    var isRepaired = false
  }

  /// Reads a text in pieces of a size; `columns` as a header would set it.
  static func read(
    _ bytes: [UInt8],
    piece: Int = .max,
    delimiter: Character = ",",
    columns: Int? = nil,
    limits: ImportLimits = ImportLimits()
  ) -> [Read] {
    var reader = DelimitedReader(delimiter: delimiter.asciiValue ?? 0, limits: limits)
    reader.columns = columns
    var records: [Read] = []
    func drain() {
      while let record = reader.next() {
        records.append(
          Read(
            fields: (0..<record.count).map(record.text),
            line: record.line,
            fault: record.fault,
            isRepaired: record.isRepaired
          )
        )
      }
    }
    var start = 0
    while start < bytes.count {
      let end = start + min(piece, bytes.count - start)
      reader.feed(bytes[start..<end])
      drain()
      start = end
    }
    reader.finish()
    drain()
    return records
  }

  static func fields(_ text: String, delimiter: Character = ",", columns: Int? = nil) -> [[String]]
  {
    read(Array(text.utf8), delimiter: delimiter, columns: columns).map(\.fields)
  }

  @Test(arguments: [
    ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]), ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
    ("a,b\rc,d\r", [["a", "b"], ["c", "d"]]), ("a,\n,b\n", [["a", ""], ["", "b"]]),
    ("\"a,b\",c\n", [["a,b", "c"]]), ("\"a\"\"b\",c\n", [["a\"b", "c"]]),
    ("\"a\nb\",c\n", [["a\nb", "c"]]), ("\"a\r\nb\",c\n", [["a\r\nb", "c"]]),
    ("\"\",\"\"\n", [["", ""]]), ("\"\"\"a\"\"\",b\n", [["\"a\"", "b"]]),
    (" \"a\" ,b\n", [["a", "b"]]), ("5\" disk,b\n", [["5\" disk", "b"]]),
    ("a\n\nb\n", [["a"], [""], ["b"]]), ("\"=\"\"037453\"\"\",x\n", [["=\"037453\"", "x"]]),
    ("a,b", [["a", "b"]]), ("a,", [["a", ""]]), ("\"a\"", [["a"]]), ("", []), ("\n", [[""]]),
  ])
  func `records are cut as RFC 4180 says, with every line end`(
    text: String,
    records: [[String]]
  ) {
    #expect(Self.fields(text) == records)
  }

  @Test func `a quote inside a quoted field that ends nothing is text`() {
    let records = Self.read(Array("\"He said \"hi\" there\",b\n".utf8))
    #expect(records.map(\.fields) == [["He said \"hi\" there", "b"]])
    #expect(records[0].isRepaired)
  }

  @Test func `an open quote does not swallow the rows below it`() {
    let text = "1,\"open, x\n2,b,c\n3,\"d\",e\n"
    let records = Self.read(Array(text.utf8), columns: 3)
    // The first line alone has as many fields as the header, so its quote is text.
    #expect(
      records.map(\.fields) == [["1", "\"open", " x"], ["2", "b", "c"], ["3", "d", "e"]]
    )
    #expect(records.map(\.line) == [1, 2, 3])
    #expect(records.map(\.isRepaired) == [true, false, false])
  }

  @Test func `stray quotes in a text of several lines do not cut it`() {
    let text = "1,\"He said \"hi\" then\nand \"went\" to\nbed\",c\n2,b,c\n"
    let records = Self.read(Array(text.utf8), columns: 3)
    #expect(
      records.map(\.fields) == [
        ["1", "He said \"hi\" then\nand \"went\" to\nbed", "c"], ["2", "b", "c"],
      ]
    )
  }

  @Test func `an open quote on a line with other columns fails that line only`() {
    let text = "1,\"open\n2,b,c\n3,\"d\",e\n"
    let records = Self.read(Array(text.utf8), columns: 3)
    #expect(records.map(\.fault) == [.unclosedQuote, nil, nil])
    #expect(records.map(\.line) == [1, 2, 3])
  }

  @Test func `a title that begins with a quote is read where tabs separate`() {
    let text = "1\t\"A\" Is for Alibi\tGrafton\n2\tDune\tHerbert\n"
    let records = Self.read(Array(text.utf8), delimiter: "\t", columns: 3)
    #expect(
      records.map(\.fields) == [
        ["1", "\"A\" Is for Alibi", "Grafton"], ["2", "Dune", "Herbert"],
      ]
    )
  }

  @Test func `every split gives the same records`() {
    let text = """
      a,"b ""quoted"" \r
      and, more",c\r\n,,\r\n"x" ,"open\ny,"z",1\r2,3,4\n\n"He "said" it",5,6\n7,"8\r\n9",é\u{1F4DA}\n"last
      """
    let bytes = Array(text.utf8)
    let whole = Self.read(bytes, columns: 3)
    #expect(whole.count == 9)
    for piece in 1...bytes.count { #expect(Self.read(bytes, piece: piece, columns: 3) == whole) }
  }

  @Test func `a record that is too long is given out once and the next line goes on`() {
    var limits = ImportLimits()
    limits.recordBytes = 20
    for text in [
      "a,b\n" + String(repeating: "x", count: 100) + ",y\nc,d\n",
      "a,b\n\"" + String(repeating: "x", count: 100) + "\",y\nc,d\n",
      "a,b\r\n" + String(repeating: "x", count: 100) + ",y\r\nc,d",
    ] {
      let bytes = Array(text.utf8)
      for piece in [1, 2, 7, 19, 20, 21, 22, 50, 1_000] {
        let records = Self.read(bytes, piece: piece, columns: 2, limits: limits)
        #expect(records.map(\.fault) == [nil, .tooLong, nil], "\(text) in \(piece)")
        #expect(records.last?.fields == ["c", "d"])
        #expect(records.map(\.line) == [1, 2, 3])
      }
    }
  }

  @Test func `an open quote is looked after no further than a record is long`() {
    var limits = ImportLimits()
    limits.recordBytes = 64
    let text = "1,\"open\n" + String(repeating: "2,b\n", count: 50)
    for piece in [1, 10, 63, 64, 65, 1_000] {
      let records = Self.read(Array(text.utf8), piece: piece, columns: 2, limits: limits)
      #expect(records.count == 51)
      #expect(records.count { $0.fields == ["2", "b"] } == 50)
    }
  }

  @Test func `too many columns are a fault`() {
    var limits = ImportLimits()
    limits.columns = 3
    let records = Self.read(Array("a,b,c\na,b,c,d\n".utf8), limits: limits)
    #expect(records.map(\.fault) == [nil, .tooManyFields])
  }

  @Test func `whatever is fed, the reader ends and loses no line`() {
    var generator = SplitMix64(seed: 7)
    let alphabet = Array("ab,;\"\"\"\n\r\t =".utf8)
    for _ in 0..<3_000 {
      let length = Int(generator.next() % 60)
      let bytes = (0..<length).map { _ in alphabet[Int(generator.next() % UInt64(alphabet.count))] }
      let piece = Int(generator.next() % 9) + 1
      let columns = Int(generator.next() % 4)
      let whole = Self.read(bytes, columns: columns)
      #expect(Self.read(bytes, piece: piece, columns: columns) == whole)
      #expect(whole.map(\.line) == whole.map(\.line).sorted())
    }
  }

  @Test func `what is written is read back`() {
    let fields = [
      "plain", "a,b", "say \"hi\"", "two\nlines", " blanks ", "", "=1+1", "é\u{1F4DA}", "\r", "\t",
    ]
    let bytes = DelimitedText.record(fields)
    #expect(Self.read(bytes).map(\.fields) == [fields])
    let guarded = Self.read(DelimitedText.record(["=1+1", "-5", "@x", "+a"], guardsFormulas: true))
    #expect(guarded.map(\.fields) == [["'=1+1", "-5", "'@x", "'+a"]])
  }

  /// What a spreadsheet might do with a cell, told apart from how the writer decides it.
  private static func mayRun(_ cell: String) -> Bool {
    let spaces = CharacterSet.whitespacesAndNewlines.union(.init(charactersIn: "\u{FEFF}\u{200B}"))
    // NFKC makes fullwidth and small forms the plain ones.
    let text = cell.trimmingCharacters(in: spaces).precomposedStringWithCompatibilityMapping
    let isLed = ["\t", "\r", "\n"].contains(where: cell.hasPrefix)
    guard let first = text.first, isLed || "=+-@".contains(first) else { return false }
    return text.range(of: #"^[+-]?[0-9.]+(e[+-]?[0-9]+)?$"#, options: .regularExpression) == nil
  }

  @Test func `no cell that is written runs, and each comes back as it was`() {
    let beginnings = [
      "", "'", "''", " ", "\t", "\r", "\u{A0}", "\u{3000}", "\u{200B}", "\u{FEFF}", " '", "' ",
    ]
    let signs = [
      "=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "x", "5", "\"", "=\"", "'=", "\t=", "=",
    ]
    let ends = ["", "1+1", "5", "cmd|' /C calc'!A0", "SUM(1)", "\"", "x\"", " "]
    for beginning in beginnings {
      for sign in signs {
        for end in ends {
          let text = beginning + sign + end
          let written = DelimitedText.record([text, "end"], guardsFormulas: true)
          let cells = Self.read(written).first?.fields ?? []
          #expect(cells.count == 2, "\(text)")
          #expect(!Self.mayRun(cells[0]), "\(text) is written as \(cells[0])")
          // An import trims whitespace at both ends, and unwraps ="…".
          let wanted = String(CellText.trimmed(text[...]))
          let isConstant = cells[0] == text && wanted.hasPrefix("=\"")
          if !isConstant { #expect(CellText.plain(cells[0]) == wanted, "\(text)") }
        }
      }
    }
  }
}
