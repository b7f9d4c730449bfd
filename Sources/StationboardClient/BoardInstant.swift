import ConditionalHTTP
public import Freshness

/// Instants of the contract: RFC 3339, with or without fractions of a second.
public enum BoardInstant: Sendable {
  /// Reads an instant.
  ///
  /// - Returns: The instant, to the millisecond; nothing if the text is none.
  public static func read(_ text: String) -> WallTime? {
    let bytes = Array(text.utf8)
    guard (20...40).contains(bytes.count), bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"), [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(bytes[10]),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
      let minute = number(bytes[14..<16]), let second = number(bytes[17..<19])
    else { return nil }
    let time = CivilTime(
      year: year,
      month: month,
      day: day,
      hour: hour,
      minute: minute,
      second: second
    )
    guard time.isValid else { return nil }
    var rest = bytes[19...]
    var milliseconds: Int64 = 0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard !digits.isEmpty else { return nil }
      let three = (Array(digits.prefix(3)) + [0x30, 0x30]).prefix(3)
      milliseconds = Int64(number(three[...]) ?? 0)
      rest = bytes[digits.endIndex...]
    }
    guard let offset = offset(rest) else { return nil }
    return WallTime(milliseconds: (time.secondsSince1970 - offset) * 1_000 + milliseconds)
  }

  /// Seconds east of Greenwich.
  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
    if bytes.count == 1, [UInt8(ascii: "Z"), UInt8(ascii: "z")].contains(bytes.first) { return 0 }
    let bytes = Array(bytes)
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"), let hours = number(bytes[1..<3]),
      let minutes = number(bytes[4..<6]), hours < 24, minutes < 60
    else { return nil }
    let seconds = Int64(hours * 3_600 + minutes * 60)
    switch bytes[0] {
    case UInt8(ascii: "+"): return seconds
    case UInt8(ascii: "-"): return -seconds
    default: return nil
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }
}
