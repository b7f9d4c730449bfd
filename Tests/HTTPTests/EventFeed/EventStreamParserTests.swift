import EventFeed
import Hashing
import Testing

@Suite struct EventStreamParserTests {
  @Test(arguments: EventStreamVector.all)
  func `a stream says the same in one piece, byte by byte and cut anywhere`(
    vector: EventStreamVector
  ) throws {
    try expect(vector, [vector.bytes])
    try expect(vector, vector.bytes.map { [$0] })
    for cut in 0...vector.bytes.count {
      try expect(vector, [Array(vector.bytes[..<cut]), Array(vector.bytes[cut...])])
    }
  }

  @Test(arguments: EventStreamVector.all.filter { $0.bytes.count <= 40 })
  func `a short stream says the same in any three pieces`(vector: EventStreamVector) throws {
    for first in 0...vector.bytes.count {
      for second in first...vector.bytes.count {
        let pieces = [
          vector.bytes[..<first], vector.bytes[first..<second], vector.bytes[second...],
        ]
        try expect(vector, pieces.map { Array($0) })
      }
    }
  }

  @Test func `all streams in a row over one parser, a connection each, say the same`() throws {
    var parser = EventStreamParser()
    for vector in EventStreamVector.all {
      #expect(try parser.feed(vector.bytes) == vector.items, "\(vector.testDescription)")
      parser.endConnection()
    }
  }

  @Test func `an event is given as soon as its blank line begins`() throws {
    var parser = EventStreamParser()
    #expect(try parser.feed("data: 1\r\n".utf8).isEmpty)
    #expect(try parser.feed("\r".utf8) == [EventStreamVector.event("1")])
    #expect(try parser.feed("\n".utf8).isEmpty)
    #expect(try parser.feed("data: 2\n\n".utf8) == [EventStreamVector.event("2")])
  }

  @Test func `the next connection keeps the id and the delay and drops what was unfinished`() throws
  {
    var parser = EventStreamParser()
    _ = try parser.feed("retry: 50\nid: 4\ndata: a\n\nid: 5\nevent: x\ndata: b\nda".utf8)
    parser.endConnection()
    #expect(parser.lastEventID == "4")
    #expect(parser.reconnectionTime == 50)
    #expect(try parser.feed("\u{FEFF}data: c\n\n".utf8) == [EventStreamVector.event("c")])
    #expect(parser.lastEventID == "4")
  }

  @Test func `a line feed that opens the next connection does not belong to the last one`() throws {
    var parser = EventStreamParser()
    _ = try parser.feed("data: a\r".utf8)
    parser.endConnection()
    #expect(try parser.feed("\ndata: b\n\n".utf8) == [EventStreamVector.event("b")])
  }

  @Test func `an id can be kept from an earlier parser`() throws {
    var parser = EventStreamParser(lastEventID: "k1-9")
    _ = try parser.feed("data: a\n\n".utf8)
    #expect(parser.lastEventID == "k1-9")
  }

  @Test(arguments: ["data: 12345", ":1234567890", "123456789012"])
  func `a line that is too long is refused before it ends, and named`(line: String) throws {
    var parser = EventStreamParser(limits: .init(line: 10))
    var items: [EventStreamItem] = []
    let error = try #require(throws: EventStreamError.self) {
      try parser.feed(("\ndata: 1\n\n" + line).utf8, into: &items)
    }
    #expect(error.code == .lineTooLong)
    #expect(error.description == "line 4 is longer than 10 bytes")
    #expect(items == [EventStreamVector.event("1")])
  }

  @Test func `a line of just the limit is read, also behind a byte order mark`() throws {
    var parser = EventStreamParser(limits: .init(line: 10))
    #expect(try parser.feed("\u{FEFF}data: 1234\n\n".utf8) == [EventStreamVector.event("1234")])
  }

  @Test func `an event that is too large is refused, however many lines it has`() throws {
    var parser = EventStreamParser(limits: .init(line: 100, event: 12))
    #expect(
      try parser.feed("data: 12345\ndata: 12345\n\n".utf8) == [
        EventStreamVector.event("12345\n12345")
      ]
    )
    var items: [EventStreamItem] = []
    let error = try #require(throws: EventStreamError.self) {
      try parser.feed("data: a\n\ndata: 12345\ndata: 123456\ndata: b\n\n".utf8, into: &items)
    }
    #expect(error.code == .eventTooLarge)
    #expect(error.message == "the event that reaches line 7 has more than 12 bytes of data")
    #expect(items == [EventStreamVector.event("a")])
  }

  @Test func `empty lines of data count too`() {
    var parser = EventStreamParser(limits: .init(line: 100, event: 50))
    #expect(throws: EventStreamError.self) {
      try parser.feed(String(repeating: "data\n", count: 51).utf8)
    }
  }

  @Test func `after an error there is the same error until the connection ends`() throws {
    var parser = EventStreamParser(limits: .init(line: 4))
    let first = #expect(throws: EventStreamError.self) { try parser.feed("12345".utf8) }
    let second = #expect(throws: EventStreamError.self) { try parser.feed("\n\n".utf8) }
    #expect(first == second)
    parser.endConnection()
    #expect(try parser.feed(":a\n".utf8) == [.comment("a")])
  }

  @Test func `limits do not depend on how the bytes are cut`() {
    let bytes = Array(": ok\ndata: 1\n\ndata: 123456\n\n".utf8)
    for cut in 0...bytes.count {
      var parser = EventStreamParser(limits: .init(line: 10))
      var items: [EventStreamItem] = []
      #expect(throws: EventStreamError(.lineTooLong, "line 4 is longer than 10 bytes")) {
        try parser.feed(bytes[..<cut], into: &items)
        try parser.feed(bytes[cut...], into: &items)
      }
      #expect(items == [.comment(" ok"), EventStreamVector.event("1")])
    }
  }

  @Test func `any bytes are read without harm`() throws {
    var generator = SplitMix64(seed: 20_261_124)
    let alphabet = Array("data:id eventretry0\n\r\r\n\n:".utf8) + [0, 0xFF, 0xE2, 0xEF, 0xBB, 0xBF]
    for _ in 0..<500 {
      let bytes = (0..<200).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      var whole = EventStreamParser()
      let items = try whole.feed(bytes)
      var parts = EventStreamParser()
      var pieces: [EventStreamItem] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...20, using: &generator)
        try parts.feed(rest.prefix(count), into: &pieces)
        rest = rest.dropFirst(count)
      }
      #expect(items == pieces)
      #expect(whole == parts)
    }
  }

  private func expect(_ vector: EventStreamVector, _ pieces: [[UInt8]]) throws {
    var parser = EventStreamParser()
    var items: [EventStreamItem] = []
    for piece in pieces { try parser.feed(piece, into: &items) }
    parser.endConnection()
    #expect(items == vector.items, "\(pieces)")
    #expect(parser.lastEventID == vector.lastEventID)
    #expect(parser.reconnectionTime == vector.reconnectionTime)
  }
}
