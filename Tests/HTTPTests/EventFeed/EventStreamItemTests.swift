import EventFeed
import Hashing
import Testing

@Suite struct EventStreamItemTests {
  @Test(
    arguments: [
      (EventStreamVector.event("hello"), "data: hello\n\n"),
      (EventStreamVector.event(""), "data: \n\n"),
      (EventStreamVector.event(" a\n\nb"), "data:  a\ndata: \ndata: b\n\n"),
      (EventStreamVector.event("a\r\nb\rc\n"), "data: a\ndata: b\ndata: c\ndata: \n\n"),
      (EventStreamVector.event("x", "change", id: "k-1"), "event: change\nid: k-1\ndata: x\n\n"),
      (EventStreamVector.event("x", "message", id: ""), "id: \ndata: x\n\n"),
      (.comment(""), ":\n\n"),
      (.comment(" alive"), ": alive\n\n"),
      (.comment("a\nb"), ":a\n:b\n\n"),
      (.retry(milliseconds: 5000), "retry: 5000\n\n"),
      (.retry(milliseconds: -1), "retry: 0\n\n"),
    ] as [(EventStreamItem, String)]
  )
  func `an item is written`(item: EventStreamItem, text: String) throws {
    #expect(String(decoding: try item.serialized(), as: UTF8.self) == text)
  }

  @Test(arguments: ["a\nb", "a\rb", "a\r\nb", "\n"])
  func `a type with a line end is refused`(type: String) {
    let item = EventStreamItem.event(ServerSentEvent(type: type, data: "x"))
    let error = #expect(throws: EventStreamError.self) { try item.serialized() }
    #expect(error?.code == .typeWithLineEnd)
  }

  @Test(arguments: ["a\nb", "a\rb", "a\r\nb", "\0"])
  func `an id with a line end or a NUL is refused`(id: String) {
    let item = EventStreamItem.event(ServerSentEvent(data: "x", id: id))
    let error = #expect(throws: EventStreamError.self) { try item.serialized() }
    #expect(error?.code == .unusableID)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `what is written is read as it was`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let items = (0..<40).map { _ in Self.item(&generator) }
    var bytes: [UInt8] = []
    for item in items { bytes += try item.serialized() }
    let expected = items.flatMap(Self.normalized)

    var whole = EventStreamParser()
    #expect(try whole.feed(bytes) == expected)
    var parts = EventStreamParser()
    var pieces: [EventStreamItem] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...7, using: &generator)
      try parts.feed(rest.prefix(count), into: &pieces)
      rest = rest.dropFirst(count)
    }
    #expect(pieces == expected)
  }

  private static func item(_ generator: inout SplitMix64) -> EventStreamItem {
    let lineEnds: Set = ["\n", "\r", "\r\n"]
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: return .comment(generator.text(upTo: 6))
    case 1: return .retry(milliseconds: Int64.random(in: 0...(.max), using: &generator))
    default:
      return .event(
        ServerSentEvent(
          type: generator.text(upTo: 4, without: lineEnds),
          data: generator.text(upTo: 30),
          id: Bool.random(using: &generator)
            ? generator.text(upTo: 4, without: lineEnds.union(["\0"])) : nil
        )
      )
    }
  }

  /// Line ends become line feeds; a comment of several lines becomes several.
  private static func normalized(_ item: EventStreamItem) -> [EventStreamItem] {
    switch item {
    case .event(var event):
      event.data = lines(event.data).joined(separator: "\n")
      return [.event(event)]
    case .comment(let text): return lines(text).map { .comment($0) }
    case .retry: return [item]
    }
  }

  private static func lines(_ text: String) -> [String] {
    var lines = [String.UnicodeScalarView()]
    var last: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      if scalar == "\n" || scalar == "\r" {
        if !(last == "\r" && scalar == "\n") { lines.append(.init()) }
      } else {
        lines[lines.count - 1].append(scalar)
      }
      last = scalar
    }
    return lines.map { String($0) }
  }
}
