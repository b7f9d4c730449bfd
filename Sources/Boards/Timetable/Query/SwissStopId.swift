/// The shapes that Swiss stop ids have had over the years.
///
/// `8501120`, `8501120:0:3`, `8501120P`, `Parent8501120` and `ch:1:sloid:1120:0:3` all belong to the
/// station 8501120 (SLOID numbers leave out the country code 85 and leading zeros).
enum SwissStopId {
  /// The seven-digit station number of an id; `nil` if the id has none of the shapes.
  static func stationNumber(_ id: String) -> UInt32? {
    let bytes = Array(id.utf8)
    if let rest = bytes.dropping(prefix: "ch:1:sloid:") {
      let digits = rest.prefix { $0 != 0x3A }
      guard (1...5).contains(digits.count), let number = digits.number else { return nil }
      return 8_500_000 + number
    }
    let rest = bytes.dropping(prefix: "Parent") ?? bytes[...]
    let digits = rest.prefix(7)
    guard digits.count == 7, let number = digits.number, number / 100_000 == 85 else { return nil }
    let tail = rest.dropFirst(7)
    let isKnown = tail.isEmpty || tail.first == 0x3A || (tail.count == 1 && tail.first == 0x50)
    return isKnown ? number : nil
  }

  /// The platform an id names (`3` in `8501120:0:3`); `nil` if it names none.
  static func platform(_ id: String) -> String? {
    let parts = id.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard
      parts.count == 3, parts[0].utf8.count == 7, Array(parts[0].utf8)[...].number != nil,
      !parts[1].isEmpty, Array(parts[1].utf8)[...].number != nil, !parts[2].isEmpty
    else { return nil }
    return String(parts[2])
  }
}

extension [UInt8] {
  fileprivate func dropping(prefix: String) -> ArraySlice<UInt8>? {
    starts(with: prefix.utf8) ? dropFirst(prefix.utf8.count) : nil
  }
}

extension ArraySlice<UInt8> {
  /// The digits as a number; `nil` without digits, or if something is not a digit.
  fileprivate var number: UInt32? {
    guard !isEmpty, count < 10 else { return nil }
    var value: UInt32 = 0
    for byte in self {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      value = value * 10 + UInt32(byte - 0x30)
    }
    return value
  }
}
