import Testing

@testable import GTFSRealtime

@Suite struct TextInternerTests {
  private func number(_ text: [UInt8], _ interner: inout TextInterner) -> UInt32? {
    text.withUnsafeBytes { interner.number(of: $0) }
  }

  @Test func `texts of every length that differ in one byte are different texts`() {
    var interner = TextInterner(feedBytes: 0)
    var texts: [[UInt8]] = []
    for count in 0...33 {
      let text = (0..<count).map { UInt8($0 + 40) }
      texts.append(text)
      for place in text.indices {
        var other = text
        other[place] = 33
        texts.append(other)
      }
    }
    for (expected, text) in texts.enumerated() {
      #expect(number(text, &interner) == UInt32(expected))
    }
    for (expected, text) in texts.enumerated() {
      #expect(number(text, &interner) == UInt32(expected))
      #expect(interner.withBytes(UInt32(expected)) { Array($0) } == text)
    }
    let table = interner.table()
    for (expected, text) in texts.enumerated() {
      let id = TextID(number: UInt32(expected))
      #expect(text.withUnsafeBytes { table.isEqual(id, $0) })
      #expect(!(text + [33]).withUnsafeBytes { table.isEqual(id, $0) })
      var other = text
      for place in text.indices {
        other[place] ^= 0x40
        #expect(!other.withUnsafeBytes { table.isEqual(id, $0) }, "byte \(place) of \(text.count)")
        other[place] ^= 0x40
      }
    }
  }

  @Test func `a byte that is not UTF-8 is seen at every place of every length`() {
    var interner = TextInterner(feedBytes: 0)
    for count in 1...33 {
      for place in 0..<count {
        var text = [UInt8](repeating: 65, count: count)
        text[place] = 0xFF
        #expect(number(text, &interner) == nil, "byte \(place) of \(count)")
      }
    }
    #expect(interner.table().count == 0)
  }

  @Test func `texts that are not ASCII are texts`() {
    var interner = TextInterner(feedBytes: 0)
    for (expected, text) in ["é", "Zürich", "Zürich HB", "停留所", "a停留所🚋"].enumerated() {
      #expect(number(Array(text.utf8), &interner) == UInt32(expected))
    }
  }
}
