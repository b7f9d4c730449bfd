/// Finds the code page of a feed whose texts are not UTF-8, from all of its texts.
///
/// A line that is UTF-8 says nothing. Of the other lines, bytes beside letters count: the encoding is wrong in
/// which they are signs ("Wroc³aw"), or in which any byte is a control character. Where several are as good, the time
/// zone decides whether the feed is from Central Europe. Elsewhere a few odd bytes decide nothing.
package struct EncodingDetector {
  /// How often each byte occurs in lines that are not UTF-8, how often between two letters, and beside one.
  private var counts = [Int](repeating: 0, count: 256)
  private var within = [Int](repeating: 0, count: 256)
  private var beside = [Int](repeating: 0, count: 256)
  /// How many letters beyond ASCII follow another one.
  private var pairs = 0

  /// What was found.
  package struct Finding: Hashable, Sendable {
    /// The encoding.
    package var encoding: TextEncoding
    /// Why it was chosen, as the end of a sentence.
    package var reason: String

    /// Creates a finding.
    package init(encoding: TextEncoding, reason: String) {
      self.encoding = encoding
      self.reason = reason
    }
  }

  /// Creates a detector that has seen nothing.
  package init() {}

  /// Counts the bytes of a line.
  package mutating func add(_ line: UnsafeRawBufferPointer) {
    guard line.contains(where: { $0 >= 0x80 }), String(validating: line, as: UTF8.self) == nil
    else {
      return
    }
    for (place, byte) in line.enumerated() where byte >= 0x80 {
      counts[Int(byte)] += 1
      let before = place > 0 ? line[place - 1] : 0
      let after = place + 1 < line.count ? line[place + 1] : 0
      let neighbors = [before, after].count { Self.isLetter($0) }
      if neighbors == 2 { within[Int(byte)] += 1 }
      if neighbors > 0 { beside[Int(byte)] += 1 }
      if byte >= 0xC0, before >= 0xC0 { pairs += 1 }
    }
  }

  /// Whether a byte is a letter in every encoding that is considered.
  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A: true
    case 0xC0...0xFE: byte != 0xD7 && byte != 0xF7
    default: false
    }
  }

  /// Chooses an encoding.
  ///
  /// - Parameter timeZone: The time zone of the agency, such as `Europe/Warsaw`.
  /// - Returns: The encoding; that of Western Europe if nothing speaks for another one.
  package func finding(timeZone: String) -> Finding {
    let letters = (0xC0...0xFF).reduce(0) { $0 + counts[$1] }
    let western: TextEncoding =
      (0x80...0x9F).allSatisfy { counts[$0] == 0 } ? .latin1 : .windows1252
    guard pairs * 2 <= letters else {
      return Finding(
        encoding: western,
        reason: "most letters beyond ASCII stand side by side, which no Latin alphabet explains;"
          + " name the encoding with --encoding"
      )
    }
    let isCentral = Self.centralEurope.contains(timeZone)
    let candidates =
      isCentral ? [.windows1250, .latin2, western] : [western, .windows1250, TextEncoding.latin2]
    let faults = candidates.map { self.faults(of: $0) }
    let all = (0x80...0xFF).reduce(0) { $0 + counts[$1] }
    if !isCentral, faults[0] * Self.leastShare < all {
      let reason =
        faults[0] == 0 ? "nothing speaks for another one" : "few bytes speak for another one"
      return Finding(encoding: western, reason: reason)
    }
    let least = faults.min() ?? 0
    var best = candidates[faults.firstIndex(of: least) ?? 0]
    // Both have letters in the same places; Czech and its neighbors use more of them than Polish does.
    let isEven = self.faults(of: .windows1250) == self.faults(of: .latin2)
    if best == .windows1250, isEven, isCzech { best = .latin2 }
    let worst = zip(candidates, faults).filter { $0.1 > least && $0.0 != best }
    let reason =
      if let other = worst.min(by: { $0.1 < $1.1 }) {
        "\(other.1) bytes that are letters in it are signs or control characters in \(other.0.name)"
      } else {
        "the time zone is \(timeZone)"
      }
    return Finding(encoding: best, reason: reason)
  }

  /// How many bytes an encoding does not explain.
  private func faults(of encoding: TextEncoding) -> Int {
    (encoding.letters ?? []).enumerated().reduce(0) { sum, letter in
      guard letter.offset >= 0x80 else { return sum }
      switch letter.element.properties.generalCategory {
      case .control: return sum + counts[letter.offset]
      case .uppercaseLetter, .lowercaseLetter, .otherLetter: return sum
      // ¬ and ¦ and the like do not occur beside letters; quotes, ¿ and ° do.
      case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
        return sum + beside[letter.offset]
      default: return sum + within[letter.offset]
      }
    }
  }

  /// Elsewhere than in Central Europe one byte of this many has to support another encoding.
  private static let leastShare = 20

  /// Whether letters occur that Czech, Slovak, Slovene or Croatian have and Polish has not: á í č ě ř ý.
  private var isCzech: Bool {
    [0xE1, 0xED, 0xE8, 0xEC, 0xF8, 0xFD].contains { counts[$0] > 0 }
  }

  /// Time zones of countries that write in Latin letters and had the code pages of Central Europe.
  private static let centralEurope: Set<String> = [
    "Europe/Warsaw", "Europe/Prague", "Europe/Bratislava", "Europe/Budapest", "Europe/Ljubljana",
    "Europe/Zagreb", "Europe/Sarajevo", "Europe/Belgrade", "Europe/Podgorica", "Europe/Bucharest",
    "Europe/Tirane",
  ]
}
