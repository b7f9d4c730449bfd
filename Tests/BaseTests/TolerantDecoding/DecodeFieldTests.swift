import StrictJSON
import Testing
import TolerantDecoding

@Suite struct `Tolerant decoding` {
  private enum Shelf: String, CaseIterable, Hashable, Sendable {
    case read
    case toRead = "to_read"
  }

  private func decode<Model>(
    _ text: String,
    mode: TolerantDecoder.Mode = .lenient,
    _ make: (DecodeField) -> Model
  ) throws -> Decoded<Model> {
    try TolerantDecoder(mode: mode).decode(Array(text.utf8), make)
  }

  @Test func `what is there is taken without an issue`() throws {
    let decoded = try decode(#"{"a":{"b":[1,2,3]},"s":"x","f":0.5,"t":true}"#) { root in
      (
        root["a"]["b"].list { $0.int() }?.elements, root["s"].string(), root["f"].double(),
        root["t"].bool()
      )
    }
    #expect(decoded.model.0 == [1, 2, 3])
    #expect(decoded.model.1 == "x")
    #expect(decoded.model.2 == 0.5)
    #expect(decoded.model.3 == true)
    #expect(decoded.issues.isEmpty)
  }

  @Test func `absent and null are the same, and going on from there is nothing`() throws {
    let decoded = try decode(#"{"a":null}"#) { root in
      [root["a"]["b"]["c"].string(), root["x"].string(), root["a"].string()]
    }
    #expect(decoded.model == [nil, nil, nil])
    #expect(decoded.issues.isEmpty)
  }

  @Test func `an issue says where, what and how bad`() throws {
    let decoded = try decode(#"{"books":[{"pages":"12"},{"pages":[]},{"pages":1.6}]}"#) { root in
      root["books"].list { $0["pages"].int() ?? 0 }?.elements
    }
    #expect(decoded.model == [12, 0, 2])
    #expect(decoded.issues.map(\.path) == ["books[0].pages", "books[1].pages", "books[2].pages"])
    #expect(decoded.issues.map(\.kind) == [.converted, .wrongKind, .rounded])
    #expect(decoded.issues.map(\.severity) == [.warning, .loss, .warning])
    #expect(
      decoded.issues[1].description == "books[1].pages: a list found where a number is expected"
    )
  }

  @Test func `strict is lenient and then refuses what is too grave`() throws {
    let text = #"{"old":1,"n":"2"}"#
    let make = { (root: DecodeField) in [root[["new", "old"]].int(), root["n"].int()] }
    #expect(try decode(text, make).model == [1, 2])
    #expect(try decode(text, mode: .strict(from: .loss), make).model == [1, 2])
    do {
      _ = try decode(text, mode: .strict(from: .note), make)
      Issue.record("not refused")
    } catch let failure as DecodeFailure {
      #expect(failure.issues.map(\.kind) == [.alias, .converted])
    }
  }

  @Test func `an open enumeration keeps what it does not know`() throws {
    let decoded = try decode(#"["read","To-Read","TO_READ","burnt"]"#) { root in
      root.list { $0.open(Shelf.self) }?.elements
    }
    #expect(decoded.model == [.known(.read), .known(.toRead), .known(.toRead), .unknown("burnt")])
    #expect(decoded.model?.map(\.rawValue) == ["read", "to_read", "to_read", "burnt"])
    #expect(decoded.issues.map(\.kind) == [.converted, .converted, .unknownValue])
  }

  @Test func `a lossy list counts what it drops, and has a limit`() throws {
    let decoded = try decode(#"[1,"x",3,4,5]"#) { root in root.list(most: 3) { $0.int() } }
    #expect(decoded.model == LossyList([1, 3], dropped: 3))
    #expect(decoded.issues.map(\.kind) == [.wrongKind, .droppedElement, .truncated])
  }

  @Test func `a list of one may come without its brackets`() throws {
    let decoded = try decode(#"{"a":"x"}"#) { root in root["a"].list { $0.string() }?.elements }
    #expect(decoded.model == ["x"])
    #expect(decoded.issues.map(\.kind) == [.converted])
  }

  @Test func `numbers are moved into their bounds`() throws {
    let decoded = try decode(#"[-5,7,200,1e300]"#) { root in
      root.list { $0.int(in: 0...100) }?.elements
    }
    #expect(decoded.model == [0, 7, 100])
    #expect(decoded.issues.map(\.kind) == [.clamped, .clamped, .invalid, .droppedElement])
  }

  @Test func `issues have a limit, and grave ones take the place of lighter ones`() throws {
    var limits = DecodeLimits()
    limits.issues = 3
    let text = #"["1","2","3","4",[],{}]"#
    let decoded = try TolerantDecoder(limits: limits).decode(Array(text.utf8)) { root in
      root.list { $0.int() ?? -1 }?.elements
    }
    #expect(decoded.model == [1, 2, 3, 4, -1, -1])
    #expect(decoded.issueCount == 6)
    #expect(decoded.issues.map(\.severity) == [.warning, .loss, .loss])
  }

  @Test func `what is not JSON is refused with its place, in every mode`() {
    do {
      _ = try decode("{\n \"a\": }") { $0.isPresent }
      Issue.record("not refused")
    } catch {
      #expect(
        (error as? DecodeFailure)?.description == "line 2, column 7: a value is expected here"
      )
    }
  }

  @Test func `repeated members and damaged text are reported, not fatal`() throws {
    let bytes = Array(#"{"a":1,"a":2,"s":""#.utf8) + [0xFF] + Array("\"}".utf8)
    let decoded = try TolerantDecoder().decode(bytes) { ($0["a"].int(), $0["s"].string()) }
    #expect(decoded.model.0 == 1)
    #expect(decoded.model.1 == "\u{FFFD}")
    #expect(decoded.issues.map(\.kind) == [.repeatedMember, .repairedText])
  }

  @Test func `members that are not known can be had`() throws {
    let decoded = try decode(#"{"a":1,"b":2.5}"#) { $0.members(besides: ["a"]) }
    #expect(decoded.model == ["b": .decimal("2.5")])
  }

  @Test(
    arguments: [
      ("45/50", 45, 50), (" 0 / 0 ", 0, 0), ("50/45", nil, nil), ("a/b", nil, nil),
      ("1/2/3", nil, nil),
    ] as [(String, Int?, Int?)]
  )
  func `a part of a whole`(_ text: String, _ part: Int?, _ whole: Int?) throws {
    let ratio = try decode("\"\(text)\"") { $0.ratio() }.model
    #expect(ratio?.part == part)
    #expect(ratio?.whole == whole)
  }

  @Test func `paths lead through lists, objects and names that are not there`() throws {
    let text = #"{"a":{"skipped":[{"x":1}],"b":[[],[{"c":null},{"d":[1,"x"]}]]}}"#
    let paths = try decode(text) { root in
      let inner = root["a"]["b"].list { $0.list { $0 }?.elements ?? [] }?.elements ?? []
      let (first, second) = (inner[1][0], inner[1][1])
      return [
        root.path, root["a"].path, root["a"]["b"].path, first.path, first["c"].path,
        first["c"]["e"]["f"].path, second["d"].list { $0.path }?.elements.last ?? "",
        root["x"].path, root["x"]["y"].path, root["a"]["skipped"]["z"].path,
      ]
    }.model
    #expect(
      paths == [
        "", "a", "a.b", "a.b[1][0]", "a.b[1][0].c", "a.b[1][0].c.e.f", "a.b[1][1].d[1]", "x",
        "x.y", "a.skipped.z",
      ]
    )
  }

  @Test func `a name that is null gives way to an older one`() throws {
    let decoded = try decode(#"{"new":null,"older":7,"old":8}"#) { root in
      root[["new", "old", "older"]].int()
    }
    #expect(decoded.model == 8)
    #expect(decoded.issues.map(\.path) == ["old"])
  }

  @Test func `a value taken out of a document is read like a document of its own`() throws {
    let decoder = TolerantDecoder()
    let make = { (root: DecodeField) in root["n"].int() }
    let outer = try decode(#"{"list":[0,{"n":"5"}]}"#) { $0["list"].list { $0.raw }?.elements }
    let inner = try #require(outer.model?.last)
    for raw in [inner, RawJSON(.object(["n": .string("5")]))] {
      let decoded = try decoder.decode(raw, make)
      #expect(decoded.model == 5)
      #expect(decoded.issues.map(\.path) == ["n"])
      #expect(decoded.raw.value == .object(["n": .string("5")]))
    }
  }
}
