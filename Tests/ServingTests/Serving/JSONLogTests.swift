import ConditionalHTTP
import Foundation
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import Serving

@Suite struct JSONLogTests {
  private func line(
    _ message: String,
    _ metadata: [String: String] = [:],
    logger: String = "freshet"
  ) -> [UInt8] {
    JSONLogLine(
      instant: 1_764_000_000.5,
      level: "info",
      logger: logger,
      message: message,
      metadata: metadata
    ).bytes
  }

  private func object(_ line: [UInt8]) throws -> [String: Any] {
    #expect(line.last == UInt8(ascii: "\n"))
    #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    let object = try JSONSerialization.jsonObject(with: Data(line))
    return try #require(object as? [String: Any])
  }

  @Test func `A line has its members in order`() {
    #expect(
      String(decoding: line("a feed", ["b": "2", "a": "Zürich"]), as: UTF8.self)
        == #"{"timestamp":"2025-11-24T16:00:00.500Z","level":"info","logger":"freshet","message":"a feed","#
        + #""metadata":{"a":"Zürich","b":"2"}}"# + "\n"
    )
    #expect(
      String(decoding: line("a feed"), as: UTF8.self)
        == #"{"timestamp":"2025-11-24T16:00:00.500Z","level":"info","logger":"freshet","message":"a feed"}"#
        + "\n"
    )
  }

  @Test(
    arguments: [
      "\"}\n{\"level\":\"critical\"", "\\\" \\", "\u{0}\u{1}\u{7F}\u{1B}[31mred", "a\r\nb\tc",
      "\u{2028}\u{2029}\u{85}", "\u{202E}gnp.exe\u{2066}", "👩‍👩‍👧 Zürich 𝄞", "\u{E0041}\u{FEFF}",
    ]
  )
  func `hostile text stays inside of its string`(text: String) throws {
    let line = line(text, [text: text, "a": text], logger: text)
    let object = try object(line)
    #expect(object["message"] as? String == text)
    #expect(object["logger"] as? String == text)
    #expect(object["level"] as? String == "info")
    #expect(object["metadata"] as? [String: String] == [text: text, "a": text])
    let shown = String(decoding: line.dropLast(), as: UTF8.self).unicodeScalars
    for scalar in shown {
      let category = scalar.properties.generalCategory
      #expect(![.control, .format, .lineSeparator, .paragraphSeparator].contains(category))
    }
  }

  @Test(arguments: ["a", "\u{1}", "𝄞", "\u{E0041}", "\""])
  func `a long text is cut between characters, and the line says so`(text: String) throws {
    let long = String(repeating: text, count: 40_000)
    let line = line(long, ["a": long, long: "b"], logger: long)
    #expect(line.count <= JSONLogLine.mostBytes)
    let object = try object(line)
    #expect(object["truncated"] as? Bool == true)
    let message = try #require(object["message"] as? String)
    #expect(message.hasSuffix("…"))
    #expect(long.unicodeScalars.starts(with: message.unicodeScalars.dropLast()))
    #expect((object["metadata"] as? [String: String])?.count == 2)
  }

  @Test func `metadata that finds no room is left out, and the line says so`() throws {
    let value = String(repeating: "v", count: 1_000)
    let many = Dictionary(uniqueKeysWithValues: (100..<200).map { ("name\($0)", value) })
    let line = line("many", many)
    #expect(line.count <= JSONLogLine.mostBytes)
    let object = try object(line)
    #expect(object["truncated"] as? Bool == true)
    let kept = try #require(object["metadata"] as? [String: String])
    #expect((10..<17).contains(kept.count))
    #expect(kept.allSatisfy { $0.value == value })
  }

  @Test func `two names that are cut to the same are one member`() throws {
    let long = String(repeating: "n", count: 500)
    let line = line("names", [long + "1": "a", long + "2": "b"])
    #expect(String(decoding: line, as: UTF8.self).components(separatedBy: "nnn…\":").count == 2)
    #expect(try object(line)["truncated"] as? Bool == true)
  }

  @Test func `a handler merges metadata as the text handler does`() throws {
    let lines = Mutex<[[UInt8]]>([])
    var logger = Logger(label: "test") { label in
      JSONLogHandler(label: label) { line in lines.withLock { $0.append(line) } }
    }
    logger[metadataKey: "a"] = "handler"
    logger[metadataKey: "b"] = "handler"
    logger.warning("twice", metadata: ["b": "event", "list": ["x", "y"]])
    logger.debug("not at this level")
    let written = lines.withLock { $0 }
    #expect(written.count == 1)
    let object = try object(try #require(written.first))
    #expect(object["level"] as? String == "warning")
    #expect(
      object["metadata"] as? [String: String]
        == ["a": "handler", "b": "event", "list": #"["x", "y"]"#]
    )
  }

  @Test func `a line in a trace has its ids as members`() throws {
    let lines = Mutex<[[UInt8]]>([])
    let logger = Logger(label: "test") { label in
      var handler = JSONLogHandler(label: label) { line in lines.withLock { $0.append(line) } }
      handler.metadataProvider = TraceScope.metadata
      return handler
    }
    let request = HTTPRequest(
      method: .get,
      scheme: "http",
      authority: "a",
      path: "/",
      headerFields: [
        .traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        .init("X-Request-Id")!: "abc-1",
      ]
    )
    let scope = TraceScope.of(request)
    logger.info("outside")
    TraceScope.$current.withValue(scope) { logger.info("inside", metadata: ["trace_id": "x"]) }
    TraceScope.$current.withValue(scope.following) { logger.info("after") }
    let written = try lines.withLock { $0 }.map { try object($0) }
    #expect(written[0]["trace_id"] == nil)
    #expect(written[1]["trace_id"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(written[1]["span_id"] as? String == "\(scope.trace.spanID)")
    #expect(written[1]["span_id"] as? String != "00f067aa0ba902b7")
    #expect(written[1]["request_id"] as? String == "abc-1")
    #expect(written[1]["metadata"] as? [String: String] == ["trace_id": "x"])
    #expect(written[2]["trace_id"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(written[2]["span_id"] as? String != written[1]["span_id"] as? String)
    #expect(written[2]["request_id"] == nil)
  }

  @Test(arguments: ["", "a b", "é", String(repeating: "a", count: 129)])
  func `an id of a request that is not printable or too long is replaced`(id: String) throws {
    let field = try #require(HTTPField.Name("X-Request-Id"))
    func scope(_ id: String) -> String? {
      let fields: HTTPFields = [field: id]
      let request = HTTPRequest(
        method: .get,
        scheme: "http",
        authority: "a",
        path: "/",
        headerFields: fields
      )
      return TraceScope.of(request).requestID
    }
    #expect(scope(id) != id)
    #expect(scope(id)?.hasPrefix("sb-") == true)
    let longest = String(repeating: "a", count: 128)
    #expect(scope(longest) == longest)
  }
}
