import ConditionalHTTP

/// A log event as one line of JSON (RFC 8259).
///
/// Its members are `timestamp` (RFC 3339, UTC, milliseconds), `level`, `logger`, `message`; in a trace `request_id`, `span_id`
/// and `trace_id`; and `metadata`, an object of strings. A line is at most ``mostBytes`` long: longer strings end with an ellipsis, further metadata is left out, and
/// `truncated` is true then. Control and format characters are escaped, also those of Unicode that some readers take for the
/// end of a line.
package struct JSONLogLine: Sendable {
  /// The most bytes of a line, with its end.
  package static let mostBytes = 16_384
  /// The most bytes of a message, as it is written.
  package static let messageBytes = 4_096
  /// The most bytes of the value of metadata, as it is written.
  package static let valueBytes = 2_048
  /// The most bytes of a value of the context, as it is written.
  package static let contextBytes = 256
  /// The most bytes of a name of metadata, as it is written.
  package static let nameBytes = 128

  /// Seconds since 1970-01-01T00:00:00Z.
  var instant: Double
  var level: String
  var logger: String
  var message: String
  /// What the line is a part of, as members of its own.
  var context: [String: String] = [:]
  var metadata: [String: String]

  /// The line in UTF-8, with its end.
  var bytes: [UInt8] {
    var isTruncated = false
    func string(_ text: String, upTo most: Int) -> [UInt8] {
      let (bytes, isWhole) = Self.escaped(text, upTo: most)
      if !isWhole { isTruncated = true }
      return [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
    }
    var line = Array(#"{"timestamp":""#.utf8)
    line += Array(InstantText.write(instant).utf8)
    line += Array(#"","level":""#.utf8) + Array(level.utf8)
    line += Array(#"","logger":"#.utf8) + string(logger, upTo: Self.nameBytes)
    line += Array(#","message":"#.utf8) + string(message, upTo: Self.messageBytes)
    for (name, value) in context.sorted(by: { $0.key < $1.key }) {
      line += [UInt8(ascii: ",")] + string(name, upTo: Self.nameBytes)
      line += [UInt8(ascii: ":")] + string(value, upTo: Self.contextBytes)
    }
    if !metadata.isEmpty {
      line += Array(#","metadata":{"#.utf8)
      var isFirst = true
      var names: Set<[UInt8]> = []
      for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
        let name = string(name, upTo: Self.nameBytes)
        let member = name + [UInt8(ascii: ":")] + string(value, upTo: Self.valueBytes)
        // Two long names may have the same beginning.
        guard line.count + member.count <= Self.mostBytes - Self.reserve,
          names.insert(name).inserted
        else {
          isTruncated = true
          continue
        }
        if !isFirst { line.append(UInt8(ascii: ",")) }
        isFirst = false
        line += member
      }
      line.append(UInt8(ascii: "}"))
    }
    if isTruncated { line += Array(#","truncated":true"#.utf8) }
    line += Array("}\n".utf8)
    return line
  }

  /// Room for what ends a line.
  private static let reserve = 64

  /// A text as it is written in a JSON string, with an ellipsis if it would be longer than a number of bytes.
  private static func escaped(_ text: String, upTo most: Int) -> (bytes: [UInt8], isWhole: Bool) {
    let ellipsis = Array("…".utf8)
    var bytes: [UInt8] = []
    // Where to cut so that the ellipsis still fits.
    var cut = 0
    for scalar in text.unicodeScalars {
      append(scalar, to: &bytes)
      if bytes.count > most { return (bytes[..<cut] + ellipsis, false) }
      if bytes.count <= most - ellipsis.count { cut = bytes.count }
    }
    return (bytes, true)
  }

  private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "\"": bytes += Array(#"\""#.utf8)
    case "\\": bytes += Array(#"\\"#.utf8)
    case "\n": bytes += Array(#"\n"#.utf8)
    case "\r": bytes += Array(#"\r"#.utf8)
    case "\t": bytes += Array(#"\t"#.utf8)
    case " "..."~": bytes.append(UInt8(scalar.value))
    default:
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          bytes += Array((#"\u"# + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
        }
      default: bytes += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
