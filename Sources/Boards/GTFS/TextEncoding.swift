import Foundation

/// How the bytes of a file represent letters: a form of Unicode, or one of the code pages with one byte a letter.
package struct TextEncoding: Hashable, Sendable {
  /// The name in the registry of IANA, such as `windows-1250`.
  package let name: String
  let form: Form

  /// How bytes are grouped.
  enum Form: Hashable, Sendable {
    case utf8
    case utf16(isLittle: Bool)
    case utf32(isLittle: Bool)
    /// One byte a letter; the number that Core Foundation gives the encoding.
    case byte(UInt)
  }

  /// UTF-8, in which the reference wants every file.
  package static let utf8 = TextEncoding(name: "UTF-8", form: .utf8)
  static let utf16Little = TextEncoding(name: "UTF-16LE", form: .utf16(isLittle: true))
  static let utf16Big = TextEncoding(name: "UTF-16BE", form: .utf16(isLittle: false))
  static let utf32Little = TextEncoding(name: "UTF-32LE", form: .utf32(isLittle: true))
  static let utf32Big = TextEncoding(name: "UTF-32BE", form: .utf32(isLittle: false))
  /// Western Europe without the letters and signs of Windows.
  package static let latin1 = TextEncoding(name: "ISO-8859-1", form: .byte(0x201))
  /// Central Europe as ISO has it.
  package static let latin2 = TextEncoding(name: "ISO-8859-2", form: .byte(0x202))
  /// Central Europe as Windows has it.
  package static let windows1250 = TextEncoding(name: "windows-1250", form: .byte(0x501))
  /// Western Europe as Windows has it.
  package static let windows1252 = TextEncoding(name: "windows-1252", form: .byte(0x500))

  /// All that can be read.
  package static let all: [TextEncoding] =
    [utf8, utf16Little, utf16Big, utf32Little, utf32Big, windows1250]
    + [TextEncoding(name: "windows-1251", form: .byte(0x502)), windows1252]
    + (1253...1258).map { TextEncoding(name: "windows-\($0)", form: .byte(0x503 + $0 - 1253)) }
    + [latin1, latin2]
    + [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16].map {
      TextEncoding(name: "ISO-8859-\($0)", form: .byte(0x200 + $0))
    }
    + [
      TextEncoding(name: "KOI8-R", form: .byte(0xA02)),
      TextEncoding(name: "KOI8-U", form: .byte(0xA08)),
      TextEncoding(name: "IBM850", form: .byte(0x410)),
      TextEncoding(name: "macintosh", form: .byte(0)),
    ]

  private init(name: String, form: Form) {
    self.name = name
    self.form = form
  }

  /// The encoding of a name in any case, also as it is often written: `cp1250`, `latin2`, `iso8859-2`, `utf16le`.
  ///
  /// - Returns: `nil` if it is not one that can be read (``all``).
  package init?(name: String) {
    func folded(_ name: String) -> String {
      let letters = String(
        name.lowercased().unicodeScalars.filter {
          ("a"..."z").contains($0) || ("0"..."9").contains($0)
        }
      )
      for (prefix, usual) in [
        ("cp125", "windows125"), ("latin1", "iso88591"), ("latin2", "iso88592"),
      ]
      where letters.hasPrefix(prefix) && (prefix == "cp125" || letters == prefix) {
        return usual + letters.dropFirst(prefix.count)
      }
      return letters
    }
    let wanted = folded(name)
    guard let known = Self.all.first(where: { folded($0.name) == wanted }) else { return nil }
    self = known
  }

  /// The letters of the 256 bytes, for an encoding with one byte a letter; U+FFFD for bytes that have none.
  package var letters: [Unicode.Scalar]? {
    guard case .byte(let number) = form else { return nil }
    // Core Foundation's encodings are those of Foundation with the highest of 32 bits set.
    let encoding = String.Encoding(rawValue: 0x8000_0000 | number)
    return (0...UInt8.max).map { byte in
      if byte < 0x80 { return Unicode.Scalar(byte) }
      return String(bytes: [byte], encoding: encoding)?.unicodeScalars.first ?? "\u{FFFD}"
    }
  }

  /// The encoding that the first bytes of a file show, of those that begin with a letter of ASCII or a byte order mark,
  /// and the bytes of the mark.
  ///
  /// - Parameter bytes: The first four bytes, or all of a shorter file.
  /// - Returns: `nil` for what may be UTF-8 or a code page.
  static func shown(by bytes: [UInt8]) -> (encoding: TextEncoding, mark: Int)? {
    let (first, second) = (bytes.first, bytes.dropFirst().first)
    let isLong = bytes.count >= 4
    if isLong, bytes == [0xFF, 0xFE, 0, 0] { return (utf32Little, 4) }
    if isLong, bytes == [0, 0, 0xFE, 0xFF] { return (utf32Big, 4) }
    if first == 0xFF, second == 0xFE { return (utf16Little, 2) }
    if first == 0xFE, second == 0xFF { return (utf16Big, 2) }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (utf8, 3) }
    guard isLong else { return nil }
    // A header is ASCII, and ASCII has no zero.
    func isASCII(_ byte: UInt8) -> Bool { byte > 0 && byte < 0x80 }
    switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
    case (let letter, 0, 0, 0) where isASCII(letter): return (utf32Little, 0)
    case (0, 0, 0, let letter) where isASCII(letter): return (utf32Big, 0)
    case (let letter, 0, let next, 0) where isASCII(letter) && isASCII(next):
      return (utf16Little, 0)
    case (0, let letter, 0, let next) where isASCII(letter) && isASCII(next): return (utf16Big, 0)
    default: return nil
    }
  }
}
