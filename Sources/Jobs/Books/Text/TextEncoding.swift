/// How the characters of a file are written.
package enum TextEncoding: String, Hashable, Sendable, CaseIterable {
  /// UTF-8 without a fault.
  case utf8 = "utf-8"
  /// UTF-8 with stray bytes, each of which is read as Windows-1252.
  case damagedUTF8 = "utf-8-damaged"
  /// UTF-16, the low byte first.
  case utf16LittleEndian = "utf-16le"
  /// UTF-16, the high byte first.
  case utf16BigEndian = "utf-16be"
  /// Windows-1252, of which Latin-1 is a part.
  case windows1252 = "windows-1252"
}
