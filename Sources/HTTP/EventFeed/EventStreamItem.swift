/// An item of an event stream (WHATWG HTML, server-sent events).
public enum EventStreamItem: Hashable, Sendable {
  /// An event.
  case event(ServerSentEvent)
  /// A comment, which only shows that the stream is alive; the text after the colon.
  case comment(String)
  /// The reconnection time that the server asks for, in milliseconds.
  case retry(milliseconds: Int64)

  /// Serializes the item, including the blank line that makes it take effect.
  ///
  /// Line ends within data become line feeds; a comment of several lines becomes several comments;
  /// a negative delay becomes 0.
  ///
  /// - Returns: UTF-8.
  /// - Throws: ``EventStreamError`` if the type contains a line end, or the id a line end or NUL.
  public func serialized() throws(EventStreamError) -> [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .event(let event):
      try Self.write(event, to: &bytes)
    case .comment(let text):
      for line in Self.lines(text) { Self.write("", line, to: &bytes) }
    case .retry(let milliseconds):
      Self.write("retry", Array(" \(max(0, milliseconds))".utf8)[...], to: &bytes)
    }
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private static func write(
    _ event: ServerSentEvent,
    to bytes: inout [UInt8]
  ) throws(EventStreamError) {
    guard !event.type.utf8.contains(where: isLineEnd) else {
      throw EventStreamError(.typeWithLineEnd, "the type of an event has a line end in it")
    }
    if event.type != ServerSentEvent.defaultType, !event.type.isEmpty {
      write("event", Array((" " + event.type).utf8)[...], to: &bytes)
    }
    if let id = event.id {
      guard !id.utf8.contains(where: { isLineEnd($0) || $0 == 0 }) else {
        throw EventStreamError(.unusableID, "the id of an event has a line end or a NUL in it")
      }
      write("id", Array((" " + id).utf8)[...], to: &bytes)
    }
    for line in lines(event.data) { write("data", [UInt8(ascii: " ")] + line, to: &bytes) }
  }

  private static func write(_ name: String, _ value: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    bytes += name.utf8
    bytes.append(UInt8(ascii: ":"))
    bytes += value
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Splits at CR, LF and CRLF; there is always at least one line.
  private static func lines(_ text: String) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    let bytes = Array(text.utf8)
    var start = 0
    var index = 0
    while index < bytes.count {
      if isLineEnd(bytes[index]) {
        lines.append(bytes[start..<index])
        if bytes[index...].starts(with: "\r\n".utf8) { index += 1 }
        start = index + 1
      }
      index += 1
    }
    lines.append(bytes[start...])
    return lines
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
