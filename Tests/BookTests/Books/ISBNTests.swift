import Testing

@testable import Books

@Suite struct ISBNTests {
  @Test(
    arguments: [
      ("9780441013594", "9780441013593"), ("0441013598", "9780441013593"),
      ("978-0-441-01359-9", "9780441013593"),
      ("9790060115616", nil), ("4006381333932", nil), ("123", nil), ("0000000001", nil),
      ("044101359X", "9780441013593"),
      ("X441013597", nil), ("", nil),
    ] as [(String, String?)]
  )
  func `a wrong check digit has a proposal`(text: String, proposal: String?) {
    #expect(ISBN.corrected(text)?.description == proposal)
  }

  @Test(arguments: [
    ("0374538654", 9_780_374_538_651), ("0-374-53865-4", 9_780_374_538_651),
    ("080442957X", 9_780_804_429_573), ("080442957x", 9_780_804_429_573),
    ("9780374538651", 9_780_374_538_651), ("978 0 374 53865 1", 9_780_374_538_651),
    ("9791034300167", 9_791_034_300_167),
  ])
  func `a sound number of ten or thirteen digits is read`(text: String, value: Int) {
    #expect(ISBN(text)?.value == UInt64(value))
  }

  @Test(arguments: [
    "", "0374538655", "9780374538652", "X374538654", "97803745386", "08044295X7",
    "4006381333931", "97803745386510", "978037453865A", "٠٣٧٤٥٣٨٦٥٤", "0000000000", "7777777777",
    "9780000000002", "9790060115615",
  ])
  func `what is not an ISBN is refused`(text: String) {
    #expect(ISBN(text) == nil)
  }

  @Test func `the ten digits come back from the thirteen`() {
    #expect(ISBN("9780804429573")?.isbn10 == "080442957X")
    #expect(ISBN("9780374538651")?.isbn10 == "0374538654")
    #expect(ISBN("9791034300167")?.isbn10 == nil)
  }

  @Test(arguments: [
    "0000000000", "0000000000000", "000-0-00-000000-0", "=\"0000000000\"", "1111111111", "0000000",
    "9999999999999", "9780000000002", "00", "0.0",
  ])
  func `equal digits are neither a number nor a fault`(cell: String) {
    guard case .placeholder = ISBNCell(cell) else {
      Issue.record("\(ISBNCell(cell))")
      return
    }
  }

  @Test func `every body of nine digits gives the same number both ways`() {
    for body in stride(from: 1, through: 999_999_999, by: 1_234_567) {
      let digits = String(repeating: "0", count: 9 - "\(body)".count) + "\(body)"
      let checks = (0...10).map { $0 == 10 ? "X" : "\($0)" }
      let sound = checks.compactMap { ISBN(digits + $0) }
      #expect(sound.count == 1)
      let ten = sound[0].isbn10
      #expect(ten?.hasPrefix(digits) == true)
      #expect(ISBN(sound[0].description) == sound[0])
      // A single wrong digit never passes.
      let wrong = (0...9).compactMap { ISBN(String(sound[0].description.dropLast()) + "\($0)") }
      #expect(wrong == [sound[0]])
    }
  }

  @Test(arguments: [
    "", "  ", "=\"\"", "[]", "N/A", "none", "0", "-",
  ])
  func `cells with nothing are empty`(cell: String) {
    #expect(ISBNCell(cell) == .empty)
  }

  @Test(arguments: [
    "=\"0374538654\"", "[0374538654]", " 0-374-53865-4 ", "ISBN 0374538654", "ISBN:9780374538651",
    "=\"9780374538651\"", "[9780374538651]", "'9780374538651".replacing("'", with: ""),
  ])
  func `what programs put around a number is passed`(cell: String) throws {
    let isbn = try #require(ISBN("9780374538651"))
    #expect(ISBNCell(cell) == .number(isbn))
  }

  @Test(arguments: [
    ("374538654", ISBNCell.Repair.leadingZeros), ("9.780374538651E+12", .notation),
    ("9,780374538651e+12", .notation), ("9780374538651.0", .notation),
    ("3.74538654E+8", .leadingZeros),
  ])
  func `numbers with all their digits are repaired`(cell: String, repair: ISBNCell.Repair) throws {
    let isbn = try #require(ISBN("9780374538651"))
    #expect(ISBNCell(cell) == .repaired(isbn, repair))
  }

  @Test(arguments: [
    ("9.78037E+12", ISBNCell.Break.excelDamage), ("9,78E+12", .excelDamage),
    ("9780374538652", .checksum), ("0374538655", .checksum), ("4006381333931", .prefix),
    ("12345", .length), ("97803745386510", .length), ("374538655", .length), ("1.5", .length),
    ("9790060115615", .music), ("979-0-2018-0503-0", .music), ("9790060115614", .checksum),
  ])
  func `broken numbers say why`(cell: String, fault: ISBNCell.Break) {
    #expect(ISBNCell(cell) == .broken(fault))
  }

  @Test(arguments: ["B00K0OI42W", "9d0b43c8-0c7a-4f6a", "see notes", "1E+99", "9.78E+1200"])
  func `text that is not a number was not meant as one`(cell: String) {
    #expect(ISBNCell(cell) == .other(cell))
  }
}
