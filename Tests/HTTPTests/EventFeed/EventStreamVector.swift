import EventFeed
import Testing

/// A stream and its items.
struct EventStreamVector: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: [UInt8]
  let items: [EventStreamItem]
  let lastEventID: String
  let reconnectionTime: Int64?

  init(
    _ name: String,
    _ stream: String,
    _ items: [EventStreamItem],
    lastEventID: String = "",
    retry: Int64? = nil
  ) {
    self.init(name, Array(stream.utf8), items, lastEventID: lastEventID, retry: retry)
  }

  init(
    _ name: String,
    _ bytes: [UInt8],
    _ items: [EventStreamItem],
    lastEventID: String = "",
    retry: Int64? = nil
  ) {
    testDescription = name
    self.bytes = bytes
    self.items = items
    self.lastEventID = lastEventID
    reconnectionTime = retry
  }

  static func event(
    _ data: String,
    _ type: String = "message",
    id: String? = nil
  ) -> EventStreamItem {
    .event(ServerSentEvent(type: type, data: data, id: id))
  }

  static let all: [EventStreamVector] = [
    .init("nothing", "", []),
    .init("one line", "data: hello\n\n", [event("hello")]),
    .init("no blank behind the colon", "data:hello\n\n", [event("hello")]),
    .init("only the first blank is taken", "data:  two\n\n", [event(" two")]),
    .init("a tab is not a blank", "data:\ttab\n\n", [event("\ttab")]),
    .init("colons within the value", "data: a:b: c\n\n", [event("a:b: c")]),
    .init("several lines", "data: Bern\ndata: 7\ndata: +2\n\n", [event("Bern\n7\n+2")]),
    .init("data without a colon is an empty line", "data\n\n", [event("")]),
    .init("two empty lines are one line end", "data\ndata\n\n", [event("\n")]),
    .init("data with nothing behind the colon", "data:\n\n", [event("")]),
    .init("the last event has no blank line", "data: a\n\ndata: b\n", [event("a")]),
    .init("the last line has no end", "data: a\n\ndata: b", [event("a")]),
    .init("the blank line is missing its second half", "data: a\r\n\r", [event("a")]),
    .init("line feeds", "event: x\ndata: 1\n\n", [event("1", "x")]),
    .init("carriage returns", "event: x\rdata: 1\r\r", [event("1", "x")]),
    .init("both", "event: x\r\ndata: 1\r\n\r\n", [event("1", "x")]),
    .init(
      "all kinds",
      "data: 1\r\ndata: 2\rdata: 3\n\r\ndata: 4\n\r",
      [event("1\n2\n3"), event("4")]
    ),
    .init("LF CR is two line ends", "data: 1\n\rdata: 2\n\n", [event("1"), event("2")]),
    .init(
      "blank lines before and between",
      "\n\r\n\rdata: 1\n\n\n\n\ndata: 2\n\n",
      [event("1"), event("2")]
    ),
    .init("type and empty type", "event: a\nevent:\ndata: 1\n\n", [event("1")]),
    .init(
      "the type counts once",
      "event: a\ndata: 1\n\ndata: 2\n\n",
      [event("1", "a"), event("2")]
    ),
    .init("a type without data is dropped", "event: a\n\ndata: 1\n\n", [event("1")]),
    .init("a type may stand behind the data", "data: 1\nevent: a\n\n", [event("1", "a")]),
    .init("unknown fields", "Data: 1\ndata : 2\nfoo: 3\n data: 4\nx\ndata: 5\n\n", [event("5")]),
    .init(
      "comments",
      ":\n: a\n:b\ndata: 1\n:c: d\n\n",
      [
        .comment(""), .comment(" a"), .comment("b"), .comment("c: d"), event("1"),
      ]
    ),
    .init(
      "ids",
      "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n",
      [
        event("a", id: "1"), event("b"), event("c", id: "2"),
      ],
      lastEventID: "2"
    ),
    .init(
      "an empty id forgets",
      "id: 1\ndata: a\n\nid\ndata: b\n\n",
      [
        event("a", id: "1"), event("b", id: ""),
      ]
    ),
    .init(
      "the last id of an event counts",
      "id: 1\nid: 2\ndata: a\n\n",
      [event("a", id: "2")],
      lastEventID: "2"
    ),
    .init(
      "an id with NUL is ignored",
      "id: 1\nid: 2\u{0}\ndata: a\n\n",
      [event("a", id: "1")],
      lastEventID: "1"
    ),
    .init("an id without data", "id: 7\n\n", [], lastEventID: "7"),
    .init(
      "the id of an unfinished event",
      "id: 1\ndata: a\n\nid: 2\ndata: b\n",
      [event("a", id: "1")],
      lastEventID: "1"
    ),
    .init("retry", "retry: 1500\n", [.retry(milliseconds: 1500)], retry: 1500),
    .init(
      "retry within an event",
      "data: 1\nretry:0\ndata: 2\n\n",
      [.retry(milliseconds: 0), event("1\n2")],
      retry: 0
    ),
    .init(
      "retry that is not digits",
      "retry: 1.5\nretry: -1\nretry: +1\nretry: 1 \nretry:\nretry: ١\nretry: 0x1\nretry\n",
      []
    ),
    .init(
      "retry beyond all bounds",
      "retry: 99999999999999999999\n",
      [.retry(milliseconds: .max)],
      retry: .max
    ),
    .init("retry with zeros", "retry: 000010\n", [.retry(milliseconds: 10)], retry: 10),
    .init("a byte order mark", [0xEF, 0xBB, 0xBF] + "data: 1\n\n".utf8, [event("1")]),
    .init("only one byte order mark", "\u{FEFF}\u{FEFF}data: 1\n\ndata: 2\n\n", [event("2")]),
    .init("a byte order mark alone", [0xEF, 0xBB, 0xBF], []),
    .init("half a byte order mark", [0xEF, 0xBB] + "\ndata: 1\n\n".utf8, [event("1")]),
    .init("a letter like a byte order mark", "\u{FEFA}data: 1\n\ndata: 2\n\n", [event("2")]),
    .init("a byte order mark later", "data: \u{FEFF}1\n\n", [event("\u{FEFF}1")]),
    .init("a byte order mark on the second line", "\n\u{FEFF}data: 1\n\n", []),
    .init(
      "letters of many bytes",
      "event: é\ndata: 🚆 Zürich\nid: ñ\n\n",
      [event("🚆 Zürich", "é", id: "ñ")],
      lastEventID: "ñ"
    ),
    .init(
      "other line ends are not line ends",
      "data: a\u{85}b\u{2028}c\u{B}d\n\n",
      [event("a\u{85}b\u{2028}c\u{B}d")]
    ),
    .init(
      "bytes that are not UTF-8",
      Array("data: a".utf8) + [0xFF, 0xE2, 0x82] + "\n\n".utf8,
      [event("a\u{FFFD}\u{FFFD}")]
    ),
    .init("NUL in the data", "data: a\u{0}b\n\n", [event("a\u{0}b")]),
    .init(
      "a number and a change",
      "event: snapshot\nid: k3-41\ndata: {\"rows\":[]}\n\n: alive\n\nevent: change\nid: k3-42\ndata: {\ndata: }\n\n",
      [
        event("{\"rows\":[]}", "snapshot", id: "k3-41"), .comment(" alive"),
        event("{\n}", "change", id: "k3-42"),
      ],
      lastEventID: "k3-42"
    ),
  ]
}
