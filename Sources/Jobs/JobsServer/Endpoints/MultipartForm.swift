/// The parts of a form with files (RFC 7578), read from whole bytes.
struct MultipartForm {
  /// One part.
  struct Part {
    /// The name of the field.
    var name: String
    /// The name of the file; `nil` for a plain value.
    var fileName: String?
    /// The media type, without parameters; empty if the part does not say.
    var mediaType: String
    /// The content.
    var content: ArraySlice<UInt8>
  }

  /// An error in a form.
  struct Fault: Error {
    var problem: String
  }

  /// The most parts.
  static let most = 64
  /// The longest head of a part, in bytes.
  static let headBytes = 8 << 10

  /// The parts, in order.
  let parts: [Part]

  /// Reads a form.
  ///
  /// - Parameters:
  ///   - bytes: The body.
  ///   - contentType: The field `Content-Type`, which names the boundary.
  /// - Throws: ``Fault`` that says what is wrong.
  init(_ bytes: [UInt8], contentType: String) throws(Fault) {
    guard let boundary = Self.parameter("boundary", in: contentType), !boundary.isEmpty,
      boundary.utf8.count <= 70
    else { throw Fault(problem: "Content-Type names no boundary of 1 to 70 characters") }
    let line = Array("--\(boundary)".utf8)
    guard var place = Self.find(line, in: bytes, from: 0) else {
      throw Fault(problem: "the boundary of Content-Type does not stand in the body")
    }
    var parts: [Part] = []
    while true {
      place += line.count
      if bytes[place...].starts(with: "--".utf8) { break }
      while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
      guard bytes[place...].starts(with: [0x0D, 0x0A]) else {
        throw Fault(problem: "a boundary is not followed by the end of its line")
      }
      place += 2
      guard parts.count < Self.most else { throw Fault(problem: "more than \(Self.most) parts") }
      guard let end = Self.find(line, in: bytes, from: place) else {
        throw Fault(problem: "the last boundary is missing: the body was cut")
      }
      parts.append(try Self.part(bytes[place..<max(place, end - 2)]))
      place = end
    }
    self.parts = parts
  }

  private static func part(_ bytes: ArraySlice<UInt8>) throws(Fault) -> Part {
    var place = bytes.startIndex
    var name: String?
    var fileName: String?
    var mediaType = ""
    while true {
      guard place - bytes.startIndex <= headBytes else {
        throw Fault(problem: "the head of a part is longer than \(headBytes) bytes")
      }
      guard let end = bytes[place...].firstIndex(of: 0x0A) else {
        throw Fault(problem: "a part has no blank line behind its head")
      }
      let line = bytes[place..<end].last == 0x0D ? bytes[place..<(end - 1)] : bytes[place..<end]
      place = end + 1
      if line.isEmpty { break }
      let text = String(decoding: line, as: UTF8.self)
      guard let colon = text.firstIndex(of: ":") else { continue }
      let value = String(text[text.index(after: colon)...])
      switch text[..<colon].lowercased() {
      case "content-disposition":
        name = parameter("name", in: value)
        fileName = parameter("filename", in: value)
      case "content-type": mediaType = plain(value)
      default: break
      }
    }
    guard let name else { throw Fault(problem: "a part has no name") }
    return Part(name: name, fileName: fileName, mediaType: mediaType, content: bytes[place...])
  }

  /// A media type without its parameters, in lower case.
  static func plain(_ type: String) -> String {
    type.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
  }

  /// A parameter of a field, without its quotes; text inside the quotes of another parameter does not count.
  static func parameter(_ name: String, in field: String) -> String? {
    var rest = field[...]
    skipValue(&rest)
    while rest.popFirst() != nil {
      let word = rest.prefix { $0 != "=" && $0 != ";" }
      rest = rest[word.endIndex...]
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst()
      let value = skipValue(&rest)
      if word.filter({ $0 != " " && $0 != "\t" }).lowercased() == name { return value }
    }
    return nil
  }

  /// Reads a value as far as the next semicolon outside of quotes.
  @discardableResult
  private static func skipValue(_ rest: inout Substring) -> String {
    rest = rest.drop { $0 == " " || $0 == "\t" }
    let isQuoted = rest.first == "\""
    var value = ""
    if isQuoted {
      rest = rest.dropFirst()
      while let character = rest.popFirst(), character != "\"" {
        if character == "\\", let escaped = rest.popFirst() {
          value.append(escaped)
        } else {
          value.append(character)
        }
      }
    }
    let plain = rest.prefix { $0 != ";" }
    rest = rest[plain.endIndex...]
    return isQuoted ? value : String(plain.prefix { $0 != " " && $0 != "\t" })
  }

  /// The next place of a boundary, at the beginning of a line.
  private static func find(
    _ wanted: [UInt8],
    in bytes: [UInt8],
    from start: Int
  ) -> Int? {
    var place = start
    while place + wanted.count <= bytes.count {
      guard let next = bytes[place...].firstIndex(of: UInt8(ascii: "-")),
        next + wanted.count <= bytes.count
      else { return nil }
      let isLineStart = next == 0 || next >= 2 && bytes[next - 1] == 0x0A && bytes[next - 2] == 0x0D
      if isLineStart, bytes[next..<(next + wanted.count)].elementsEqual(wanted) { return next }
      place = next + 1
    }
    return nil
  }
}
