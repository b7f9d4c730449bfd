/// An International Standard Book Number whose check digit is right (ISO 2108), kept as thirteen digits.
///
/// Ten equal digits have a valid check digit but are not a number: programs write them where a number is required and
/// missing. Numbers that begin with 979-0 identify printed music (ISO 10957).
package struct ISBN: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The number of thirteen digits.
  package let value: UInt64

  /// Reads an ISBN of ten or thirteen digits, with hyphens and spaces anywhere.
  package init?(_ text: some StringProtocol) {
    let kept = text.utf8.filter { $0 != 0x2D && $0 != 0x20 }
    self.init(digits: kept)
  }

  /// Reads ten or thirteen digits, without anything between them.
  init?(digits: [UInt8]) {
    switch digits.count {
    case 10:
      guard Self.hasCheckedTen(digits), !Self.isPlaceholder(digits) else { return nil }
      self.init(body: [0x39, 0x37, 0x38] + digits[..<9])
    case 13:
      guard Self.hasCheckedThirteen(digits), Self.isBook(digits), !Self.isPlaceholder(digits)
      else { return nil }
      self.init(body: Array(digits[..<12]))
    default: return nil
    }
  }

  /// The number that ten or thirteen digits with a wrong check digit would be with the right one.
  ///
  /// The wrong digit cannot be identified, so the result is a proposal, not the number.
  static func corrected(_ text: some StringProtocol) -> ISBN? {
    let digits = text.utf8.filter { $0 != 0x2D && $0 != 0x20 }
    let body = digits.dropLast()
    guard body.allSatisfy({ 0x30...0x39 ~= $0 }), !isPlaceholder(Array(body)) else { return nil }
    switch digits.count {
    case 10: return ISBN(body: [0x39, 0x37, 0x38] + body)
    case 13: return isBook(digits) ? ISBN(body: Array(body)) : nil
    default: return nil
    }
  }

  /// The number with the given first twelve digits.
  private init(body: [UInt8]) {
    var value: UInt64 = 0
    var sum = 0
    for (index, digit) in body.enumerated() {
      let number = Int(digit - 0x30)
      value = value * 10 + UInt64(number)
      sum += number * (index & 1 == 0 ? 1 : 3)
    }
    self.value = value * 10 + UInt64((10 - sum % 10) % 10)
  }

  /// The thirteen digits.
  package var description: String { String(value) }

  /// The ten digits; `nil` for a number that begins with 979.
  package var isbn10: String? {
    let digits = Array(description.utf8)
    guard digits.starts(with: "978".utf8) else { return nil }
    let body = digits[3..<12]
    var sum = 0
    for (index, digit) in body.enumerated() { sum += Int(digit - 0x30) * (10 - index) }
    let check = (11 - sum % 11) % 11
    return String(decoding: body, as: UTF8.self) + (check == 10 ? "X" : String(check))
  }

  /// Orders by number.
  package static func < (left: ISBN, right: ISBN) -> Bool { left.value < right.value }

  /// Whether thirteen digits begin like a book's number.
  static func isBook(_ digits: [UInt8]) -> Bool {
    digits.starts(with: "978".utf8) || digits.starts(with: "979".utf8) && !isMusic(digits)
  }

  /// Whether thirteen digits begin like the number of printed music.
  static func isMusic(_ digits: [UInt8]) -> Bool { digits.starts(with: "9790".utf8) }

  /// Whether the digits are a placeholder: zeros, ten or thirteen equal ones, or ten zeros as thirteen digits.
  static func isPlaceholder(_ digits: [UInt8]) -> Bool {
    guard let first = digits.first else { return false }
    if digits == zeros { return true }
    return (first == 0x30 || digits.count == 10 || digits.count == 13)
      && 0x30...0x39 ~= first && digits.allSatisfy { $0 == first }
  }

  private static let zeros = Array("9780000000002".utf8)

  /// Whether ten characters are an ISBN: weights 10 to 1, the sum a multiple of 11, X is ten and last.
  static func hasCheckedTen(_ digits: [UInt8]) -> Bool {
    guard digits.count == 10 else { return false }
    var sum = 0
    for (index, digit) in digits.enumerated() {
      switch digit {
      case 0x30...0x39: sum += Int(digit - 0x30) * (10 - index)
      case 0x58, 0x78:
        guard index == 9 else { return false }
        sum += 10
      default: return false
      }
    }
    return sum % 11 == 0
  }

  /// Whether thirteen characters are an EAN: weights 1 and 3, the sum a multiple of 10.
  static func hasCheckedThirteen(_ digits: [UInt8]) -> Bool {
    guard digits.count == 13 else { return false }
    var sum = 0
    for (index, digit) in digits.enumerated() {
      guard 0x30...0x39 ~= digit else { return false }
      sum += Int(digit - 0x30) * (index & 1 == 0 ? 1 : 3)
    }
    return sum % 10 == 0
  }
}
