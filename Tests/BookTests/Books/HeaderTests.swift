import Testing

@testable import Books

@Suite struct HeaderTests {
  @Test(arguments: [1, 2, 7, .max]) func `a name of a column may stand on two lines`(
    piece: Int
  ) throws {
    let text = "\"Book\r\nTitle\",\"Date\nRead\",Author\r\nDune,2024-01-02,Frank Herbert\r\n"
    let read = try ReadFile.bytes(Array(text.utf8), piece: piece)
    #expect(read.file.map?.header == ["Book Title", "Date Read", "Author"])
    #expect(read.rows.map(\.line) == [4])
    #expect(read.books.map(\.title) == ["Dune"])
  }

  @Test func `a quote that does not close costs its own line only`() {
    for text in ["Title,\"Author\nDune,\"Frank\"\n", "\"Title,Author\nDune,Frank\n"] {
      #expect { _ = try ReadFile.text(text) } throws: { error in
        (error as? ImportFileError)?.code == .unknownHeader
      }
    }
  }

  @Test func `a column called Date is not a year because another column was named`() throws {
    let header = ["Buch", "Author", "Date"]
    let named = try ColumnMap(header: header, mapping: ["Buch": .title])
    #expect(named.columns == [.title, .author, nil])
    let both = try ColumnMap(header: header, mapping: ["Buch": .title, "Date": .finished])
    #expect(both.columns == [.title, .author, .finished])
  }

  @Test func `a header with too many columns is refused for that`() {
    let header = "Title," + (1..<300).map { "c\($0)" }.joined(separator: ",")
    #expect { _ = try ReadFile.text(header + "\nDune\n") } throws: { error in
      "\(error)".contains("has 300 columns; 256 are the most")
    }
  }
}
